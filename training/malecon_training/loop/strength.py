"""How strong the networks of a loop are, as a table and as a picture."""

from __future__ import annotations

import csv
import html
import io
import json
import math

from .. import files
from . import programs
from .folder import Folder

COLUMNS = "generation network games against promoted gate_games won drawn lost elo low high rating error".split()
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 300, 64, 24, 64, 56
# With more networks than this, their numbers would cover each other.
LABELLED = 20
COLOR, REFUSED = "#0057a8", "#d55e00"


def rows(folder: Folder, malecon: str) -> list[dict]:
    """A row for each network, the first one included: its gate, and its rating among all networks, from the games of
    all gates together."""
    results = [result for i in range(1, folder.finished() + 1) if (result := folder.result(i)) is not None]
    if not results:
        return []
    gates = [folder.generation(result["generation"]) / "gate/games.jsonl" for result in results]
    log = folder.generation(len(results)) / "log.txt"
    report = programs.run([malecon, "match", "--merge", *gates, "--json"], log, reads=True)
    ratings = {rating["name"]: rating for rating in json.loads(report)["ratings"]}
    first = {"generation": 0, "network": "network-0", "games": 0}
    found = [first, *results]
    for row in found:
        rating = ratings[row["network"]]
        row["rating"], row["error"] = round(rating["elo"], 1), round(rating["error"], 1)
    return found


def write(folder: Folder, malecon: str) -> None:
    """Writes `strength.csv` and `strength.svg`, once there is a gate."""
    found = rows(folder, malecon)
    if not found:
        return
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    for row in found:
        promoted = {None: "", True: "yes", False: "no"}[row.get("promoted")]
        table.writerow({**row, "promoted": promoted})
    files.replace(folder.path / "strength.csv", text.getvalue().encode())
    settings = folder.settings()
    limit = settings.limit_of_gate if settings else ""
    files.replace(folder.path / "strength.svg", picture(found, limit).encode())


def signed(elo: float) -> str:
    """A whole number with its sign."""
    return f"{elo:+.0f}".replace("-", "−") if round(elo) else "0"


def interval(elo: float | None, low: float | None, high: float | None) -> str:
    """An Elo difference with its interval. What is infinite is None, as in the report of a match."""
    ends = [f"{end:+.0f}" if end is not None else sign for end, sign in ((low, "-∞"), (high, "+∞"))]
    middle = f"{elo:+.0f}" if elo is not None else "+∞" if high is None else "-∞"
    return f"{middle} [{', '.join(ends)}]"


def table(folder: Folder) -> str:
    """The table, for people."""
    try:
        text = (folder.path / "strength.csv").read_text()
    except FileNotFoundError:
        return ""
    lines = [["network", "games", "Elo [95 %] in its gate", "promoted", "rating"]]
    for row in csv.DictReader(io.StringIO(text)):
        gate = interval(*(float(row[name]) if row[name] else None for name in ("elo", "low", "high")))
        gate = gate if row["gate_games"] else ""
        rating = f"{float(row['rating']):+.0f} ± {float(row['error']):.0f}"
        lines.append([row["network"], row["games"], gate, row["promoted"], rating])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join("  ".join(map(str.rjust, line, widths)).rstrip() + "\n" for line in lines)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from `low` to `high`: multiples of 1, 2 or 5 times a power of ten, at most `most` of them."""
    step = 10.0 ** math.floor(math.log10(max(high - low, 1.0) / most))
    while math.floor(high / step) - math.ceil(low / step) + 1 > most:
        step *= 2.5 if f"{step:e}".startswith("2") else 2.0
    return [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def picture(found: list[dict], limit: str) -> str:
    """The ratings over the games of self-play, as SVG. `limit` says how the gates were played."""
    least = min(row["rating"] - row["error"] for row in found)
    most = max(row["rating"] + row["error"] for row in found)
    room = 0.08 * max(most - least, 10.0)
    least, most, games = least - room, most + room, max(row["games"] for row in found)

    def x(number: float) -> float:
        return LEFT + 24 + number / games * (WIDTH - LEFT - RIGHT - 36)

    def y(elo: float) -> float:
        return TOP + (most - elo) / (most - least) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        'font-family="sans-serif" font-size="12" role="img">',
        '<title>Strength over games of self-play</title>\n<rect width="100%" height="100%" fill="#fff"/>',
        '<text x="8" y="20" font-weight="bold">Elo over games of self-play</text>',
        f'<text x="8" y="38" fill="#555">{limit}; relative to the mean of all networks, with 95 % intervals</text>',
    ]
    for elo in ticks(least, most, 7):
        parts.append(f'<path d="M{LEFT} {y(elo):.1f}H{WIDTH - RIGHT}" stroke="{"#888" if elo == 0 else "#ddd"}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(elo) + 4:.1f}" text-anchor="end">{signed(elo)}</text>')
    bottom = HEIGHT - BOTTOM
    for number in ticks(0, games, 6):
        parts.append(f'<path d="M{x(number):.1f} {bottom}v5" stroke="#888"/>')
        parts.append(f'<text x="{x(number):.1f}" y="{bottom + 18}" text-anchor="middle">{number:,.0f}</text>')
    line = " ".join(f"{x(row['games']):.1f},{y(row['rating']):.1f}" for row in found if row.get("promoted", True))
    parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOR}" stroke-width="1.5" opacity="0.5"/>')
    for row in found:
        heights = [y(row["rating"] + part * row["error"]) for part in (0, 1, -1)]
        label = row["network"].removeprefix("network-") if len(found) <= LABELLED else ""
        parts.append(_point(row, x(row["games"]), heights, label))
    parts.append(
        f'<text x="8" y="{HEIGHT - 12}" fill="#555">Blue: the first network, and those that were promoted. '
        f'<tspan fill="{REFUSED}">Orange: not promoted.</tspan></text>\n</svg>\n'
    )
    return "\n".join(parts)


def _point(row: dict, x: float, heights: list[float], number: str) -> str:
    """A network with its interval, and its number if there is one."""
    y, top, bottom = heights
    promoted = row.get("promoted", True)
    color = COLOR if promoted else REFUSED
    title = html.escape(f"{row['network']}: {row['rating']:+.0f} ± {row['error']:.0f}. {row.get('why', '')}")
    label = f'<text x="{x - 8:.1f}" y="{y - 6:.1f}" text-anchor="end">{number}</text>' if number else ""
    return (
        f"<g><title>{title}</title>{label}"
        f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}" stroke="{color}" stroke-width="1.5"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color if promoted else "#fff"}" stroke="{color}"/></g>'
    )
