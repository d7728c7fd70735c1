"""Files here and elsewhere: what they hold is no matter of these modules.

reading.py     a path, a pipe or a URL, opened to read
target.py      where a file is to be written: checked before the work, written whole or not at all
temporary.py   temporary files
remote.py      what to install for a kind of URL
"""
