"""Reports: a recording, its figures and the page that shows them, in one HTML file.

block.py     `with performance_report()`: records a block, writes its report
html.py      the file: `build`; static_page.py what of it needs no script
extract.py   takes summary and recording out again
redact.py    a copy of a recording without what must not leave the house
target.py    where a report is written, checked before anything is recorded
address.py   what to open in a browser
"""
