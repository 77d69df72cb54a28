"""Methods to compare with: each module holds one `Method`."""
