# The same commands for those who have make.
.PHONY: demo check
demo check:
	python3 tasks.py $@
