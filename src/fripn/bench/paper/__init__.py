"""The paper's tables and figures beside ours: its numbers, our runs, and the page of both."""
