"""Names for hosts and workers that say nothing of the real ones, the same in every table."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import Final

from daskscope.report.paths import SHARE
from daskscope.schema import OTHER_NAME

_ADDRESS: Final = re.compile(
    r"\b(?:tcp|tls|ucxx?|wss?|inproc|https?|s?ftp|ssh|hdfs)://[^\s\x00'\"<>,;|(){}\\]+",
    re.IGNORECASE,
)
_IPV4: Final = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")
_IPV6: Final = re.compile(  # or what may be one: no hour, which is shorter, and no dead::beef
    r"(?<![\w:.])(?=[A-Fa-f:]*\d)"
    r"[0-9A-Fa-f]{3,4}:[0-9A-Fa-f:]*[0-9A-Fa-f](?:\.\d{1,3}){0,3}(?:%\w+)?(?!\w)"
)
_OF_SHARE: Final = re.compile(SHARE)
_RUN: Final = re.compile(r"[^\W_]+")
"""Letters and digits: a name begins and ends where such a run does."""

_NUMBERED: Final = re.compile(r"worker-\d{1,6}")
MIN_NAME_CHARACTERS: Final = 2


class _Words:
    """Words that begin alike, with the replacement of each: a network has many addresses."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, str] = {}
        self._lengths: list[int] = []
        """From the longest on."""

    def add(self, word: str, stand_in: str) -> None:
        if word in self._stand_ins:
            return
        self._stand_ins[word] = stand_in
        if len(word) not in self._lengths:
            self._lengths.append(len(word))
            self._lengths.sort(reverse=True)

    def at(self, text: str, start: int) -> tuple[str, int] | None:
        """Return the replacement of the longest word at a place, and where the word stops."""
        for length in self._lengths:
            stop = start + length
            stand_in = self._stand_ins.get(text[start:stop])
            if stand_in is not None and not text[stop : stop + 1].isalnum():
                return stand_in, stop
        return None


class Hosts:
    """Learns addresses and names first, then replaces them everywhere.

    >>> hosts = Hosts()
    >>> hosts.learn_worker("tcp://10.0.0.7:41", "worker-3")
    'worker-3'
    >>> hosts.learn_host("node-7.lab.example.org")
    'host-2'
    >>> hosts.text("tcp://10.0.0.7:41 said to tcp://10.0.0.7:99: hello, node-7! not node-77")
    'worker-3 said to host-1: hello, host-2! not node-77'
    """

    def __init__(self) -> None:
        self._addresses: dict[str, str] = {}
        self._hosts: dict[str, str] = {}
        self._count = 0
        self._taken: set[str] = set()
        self._words: dict[str, _Words] = {}
        """By their first run, in small letters."""

    def learn_worker(self, address: str, name: str = "") -> str:
        """Return the replacement of a worker: its own name if that is only a number."""
        if not address or address == OTHER_NAME:  # which stands for many, and names none
            return address
        known = self._addresses.get(address)
        if known is not None:
            return known
        number = len(self._taken)
        stand_in = name
        while stand_in in self._taken or not _NUMBERED.fullmatch(stand_in):
            stand_in = f"worker-{number}"
            number += 1
        self._taken.add(stand_in)
        self._addresses[address] = stand_in
        self.learn_host(host_of(address))
        if not _NUMBERED.fullmatch(name):
            self._add_word(name, stand_in)
        self._add_word(address.partition("://")[2], stand_in)
        return stand_in

    def learn_scheduler(self, address: str) -> str:
        """Return the replacement of the scheduler."""
        if not address:
            return ""
        self._addresses.setdefault(address, "scheduler")
        self.learn_host(host_of(address))
        self._add_word(address.partition("://")[2], "scheduler")
        return self._addresses[address]

    def learn_host(self, host: str) -> str:
        """Return the replacement of a host, with or without its domain."""
        if not host:
            return ""
        known = self._hosts.get(host.lower())
        if known is not None:
            return known
        short = host.partition(".")[0]
        is_name = not short.isdigit() and ":" not in host
        stand_in = self._hosts.get(short.lower(), "") if is_name else ""
        if not stand_in:
            self._count += 1
            stand_in = f"host-{self._count}"
        for name in (short, host) if is_name else (host,):
            self._hosts[name.lower()] = stand_in
            self._add_word(name, stand_in)
        return stand_in

    def learn_shares(self, text: str) -> None:
        """Learn the servers of the shares whose paths are in a text."""
        if "\\\\" in text:
            for found in _OF_SHARE.finditer(text):
                self.learn_host(found["server"])

    def _add_word(self, word: str, stand_in: str) -> None:
        run = _RUN.search(word)
        if run is None or len(word) < MIN_NAME_CHARACTERS or not word.isprintable():
            return
        words = self._words.setdefault(run[0].lower(), _Words())
        words.add(word[run.start() :].lower(), stand_in)

    def clean(self, text: str) -> str:
        """Return the replacement of an address, or else clean a text."""
        known = self._addresses.get(text)
        return self.text(text) if known is None else known

    def text(self, text: str) -> str:
        """Replace addresses, known or not, and known names."""
        if "://" in text:
            text = _ADDRESS.sub(lambda found: self._of_address(found[0]), text)
        if "\\\\" in text:
            text = _OF_SHARE.sub(self._of_share, text)
        text = self._words_replaced(text)
        if ":" in text:
            text = _IPV6.sub(self._of_ipv6, text)
        return _IPV4.sub(lambda found: self.learn_host(found[0]), text) if "." in text else text

    def _of_share(self, found: re.Match[str]) -> str:
        one = found["one"]
        return one + one + self.learn_host(found["server"]) + one

    def _of_ipv6(self, found: re.Match[str]) -> str:
        try:
            IPv6Address(found[0])
        except ValueError:
            return found[0]
        return self.learn_host(found[0].partition("%")[0])

    def _of_address(self, address: str) -> str:
        bare = address.rstrip(".:]*`")
        known = self._addresses.get(bare)
        stand_in = known if known is not None else self.learn_host(host_of(bare))
        return stand_in + address[len(bare) :]

    def _words_replaced(self, text: str) -> str:
        small = text.lower()
        if len(small) != len(text):  # letters that become two
            small = text
        parts: list[str] = []
        done = 0
        for run in _RUN.finditer(small):
            start = run.start()
            if start < done:
                continue
            words = self._words.get(run[0])
            found = words.at(small, start) if words is not None else None
            if found is not None:
                parts += text[done:start], found[0]
                done = found[1]
        return "".join([*parts, text[done:]]) if parts else text


def host_of(address: str) -> str:
    """Return the host that an address names.

    >>> [host_of(a) for a in ("tcp://10.0.0.1:80", "tls://[fe80::1]:80", "inproc://10.0.0.1/7/1")]
    ['10.0.0.1', 'fe80::1', '10.0.0.1']
    """
    rest = address.rpartition("://")[2].partition("/")[0].rpartition("@")[2]
    if rest.startswith("["):
        return rest[1:].partition("]")[0]
    return rest.partition(":")[0]
