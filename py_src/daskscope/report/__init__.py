"""Reports: a recording, its figures and the page that shows them, in one HTML file.

html.py      the file: `build`; static_page.py what of it needs no script
extract.py   takes summary and recording out again
redact.py    a copy of a recording without what must not leave the house
address.py   what to open in a browser
card.py      what a notebook shows below the cell that made it
"""
