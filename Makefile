# The same commands for those who have make.
.PHONY: demo check docs wheel
demo check docs wheel:
	python3 tasks.py $@
