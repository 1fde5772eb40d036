"""Binary files of other libraries as values in memory: spaCy's DocBin, and saved datasets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.coerce.corpus import Table, is_list
from adjudge.formats.json_file import read_json
from adjudge.formats.source import Whole, is_parquet, source_name

_TAIL = 1 << 20  # bytes at the end of a Parquet file that may hold its metadata
_INFO = re.compile(rb'\{"info": *\{"features"')


def docbin_documents(whole: Whole) -> list[Any]:
    """The documents of a file that spaCy wrote; reading it needs spaCy."""
    try:
        spacy = import_module("spacy")
        read = import_module("spacy.tokens").DocBin().from_bytes
    except ImportError:
        hint = "install it with: pip install spacy"
        raise UsageError(Problem("a DocBin needs spaCy, which is not installed", path=whole.place, hint=hint)) from None
    try:
        return list(read(whole.data).get_docs(spacy.blank("xx").vocab))
    except Exception as error:  # whatever spaCy raises
        message = f"the DocBin cannot be read ({type(error).__name__}: {error})"
        raise FormatError(Problem(message[:200], path=whole.place, hint="write it again with DocBin.to_disk")) from None


def dataset_table(source: Any) -> Table:
    """The rows of a dataset: a folder that `save_to_disk` wrote, or Parquet; numbers of labels become their names."""
    place = source_name(source)
    if isinstance(source, str | Path) and Path(source).is_dir():
        folder = Path(source)
        if (folder / "dataset_dict.json").is_file():
            splits = [str(each) for each in read_json(folder / "dataset_dict.json")[1].get("splits", ())]
            message = f"this is a DatasetDict with the splits {', '.join(map(repr, splits))}"
            hint = f"pass one of them, for example {folder / (splits or ['test'])[-1]}"
            raise FormatError(Problem(message, path=place, hint=hint))
        rows = list(_arrow_rows(folder, place))
        info = read_json(folder / "dataset_info.json")[1]
        features = info.get("features") if isinstance(info, Mapping) else None
    elif is_parquet(source):
        from adjudge.formats.parquet import parquet_rows

        rows = list(parquet_rows(str(source)))
        features = parquet_features(str(source))
    else:
        hint = "give a folder that save_to_disk wrote, or Parquet"
        raise FormatError(Problem("this is not a saved dataset", path=place, hint=hint))
    names = _names(features)
    made = [{column: _named(value, names.get(column)) for column, value in row.items()} for row in rows]
    return Table(tuple(dict.fromkeys(column for row in made for column in row)), made)


def parquet_features(path: str) -> Any:
    """The features that the library `datasets` writes into the metadata of Parquet; None if there are none."""
    with open(path, "rb") as stream:  # noqa: PTH123
        stream.seek(0, 2)
        stream.seek(max(0, stream.tell() - _TAIL))
        tail = stream.read()
    found = _INFO.search(tail)
    if found is None:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(tail[found.start() :].decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value["info"]["features"]


def _arrow_rows(folder: Path, place: str) -> Iterator[dict[str, Any]]:
    state = read_json(folder / "state.json")[1]
    files = state.get("_data_files") if isinstance(state, Mapping) else None
    names = [str(each.get("filename")) for each in files or () if isinstance(each, Mapping)]
    if not names or not all(Path(each).name == each for each in names):
        raise FormatError(Problem("state.json names no files of data", path=place, hint="save the dataset again"))
    try:
        import pyarrow
    except ImportError:
        hint = "install it with: pip install 'adjudge[parquet]'"
        raise UsageError(Problem("a saved dataset needs pyarrow, which is not installed", place, hint=hint)) from None
    for name in names:
        try:
            with pyarrow.memory_map(str(folder / name)) as file, pyarrow.ipc.open_stream(file) as stream:
                for batch in stream:
                    yield from batch.to_pylist()
        except (OSError, pyarrow.ArrowException) as error:
            hint = "save the dataset again"
            raise FormatError(Problem(f"not Arrow data ({error})"[:200], path=str(folder / name), hint=hint)) from None


def _names(features: Any) -> dict[str, Sequence[str]]:
    """The names of labels, by column."""
    found = {}
    for column, feature in features.items() if isinstance(features, Mapping) else ():
        inner = feature
        while isinstance(inner, list | Mapping) and not _has_names(inner):
            inner = (inner[0] if inner else None) if isinstance(inner, list) else inner.get("feature")
        if _has_names(inner):
            found[column] = inner["names"]
    return found


def _has_names(feature: Any) -> bool:
    return isinstance(feature, Mapping) and is_list(feature.get("names"))


def _named(value: Any, names: Sequence[str] | None) -> Any:
    if names is None:
        return value
    if is_list(value):
        return [_named(each, names) for each in value]
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else value
