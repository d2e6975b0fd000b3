"""Data sets of text, from archives as Paddle keeps them."""

import gzip
import io
import os
import pathlib
import tarfile
import tempfile
import zipfile

home_before = os.environ.get("HOME")
folder = tempfile.TemporaryDirectory()
os.environ["HOME"] = folder.name

import numpy as np
import paddle

home = pathlib.Path(folder.name, ".cache", "paddle", "dataset")
if hasattr(paddle, "dataset"):
    # Paddle has looked for its folder when it was imported.
    paddle.dataset.common.DATA_HOME = str(home)


def packed(path, files):
    path = home / path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            content = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return str(path)


def written(path, text):
    path = home / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def show(item):
    print(*(one.tolist() for one in item), item[0].dtype)


def sentences(seed, count, words):
    random = np.random.RandomState(seed)
    return [" ".join(random.choice(words, random.randint(2, 7))) for _ in range(count)]


english, german = "a man sees the dog in rain".split(), "ein Mann sieht den Hund im Regen".split()

print("Imikolov")
trees = packed(
    "imikolov/imikolov%2Fsimple-examples.tgz",
    {
        f"./simple-examples/data/ptb.{part}.txt": "\n".join(sentences(seed, 12, [*english, "<unk>"])) + "\n"
        for seed, part in enumerate(("train", "valid", "test"))
    },
)
for mode in ("train", "test"):
    data = paddle.text.Imikolov(trees, "NGRAM", 3, mode, 4)
    print(len(data), data.word_idx)
    show(data[0])
    show(data[len(data) - 1])
    data = paddle.text.Imikolov(data_file=trees, data_type="seq", window_size=6, mode=mode, min_word_freq=2)
    print(len(data))
    show(data[1])
for wrong in ({"data_type": "WORD"}, {"mode": "all", "window_size": 2}, {"min_word_freq": 2}):
    try:
        paddle.text.Imikolov(trees, **wrong)
    except AssertionError:
        print("refused", wrong)

print("WMT14")
pairs = [f"{one}\t{other}" for one, other in zip(sentences(3, 6, german), sentences(4, 6, english))]
words = ["<s>", "<e>", "<unk>"]
small = packed(
    "wmt14/wmt14.tgz",
    {
        "wmt14/src.dict": "\n".join([*words, *german]),
        "wmt14/trg.dict": "\n".join([*words, *english]),
        "wmt14/train/train": "\n".join([*pairs[:4], "no tab here", f"{'a ' * 90}\tb"]),
        "wmt14/test/test": "\n".join(pairs[4:]),
        "wmt14/gen/gen": pairs[0],
    },
)
for mode in ("train", "test", "gen"):
    data = paddle.text.WMT14(small, mode=mode, dict_size=8)
    print(len(data), data.get_dict(), data.get_dict(reverse=True))
    show(data[0])
try:
    paddle.text.WMT14(small)
except AssertionError as error:
    print(error)

print("WMT16")
pairs = [f"{one}\t{other}" for one, other in zip(sentences(5, 9, english), sentences(6, 9, german))]
multimodal = packed(
    "wmt16/wmt16.tar.gz",
    {
        "wmt16/train": "\n".join(pairs[:5]),
        "wmt16/test": "\n".join(pairs[5:7]),
        "wmt16/val": "\n".join(pairs[7:]),
    },
)
written("wmt16/de_9.dict", "\n".join([*words, *german[:6]]) + "\n")
for mode, language, sizes in (("train", "en", (7, 9)), ("test", "de", (9, 6)), ("val", "en", (5, 6))):
    data = paddle.text.WMT16(multimodal, mode, *sizes, language)
    print(len(data), data.get_dict("en"), data.get_dict("de", reverse=True))
    show(data[1])

print("Movielens")
random = np.random.RandomState(7)
(home / "sentiment").mkdir()
films = str(home / "sentiment" / "movielens%2Fml-1m.zip")
with zipfile.ZipFile(films, "w") as archive:
    archive.writestr(
        "ml-1m/movies.dat",
        "1::Toy Story (1995)::Animation|Children's\n2::Am\xe9lie (2001)::Comedy\n".encode("latin"),
    )
    archive.writestr("ml-1m/users.dat", "1::F::1::10::48067\n2::M::56::16::70072\n")
    archive.writestr(
        "ml-1m/ratings.dat",
        "".join(f"{random.randint(1, 3)}::{random.randint(1, 3)}::{random.randint(1, 6)}::9\n" for _ in range(30)),
    )
for mode in ("train", "test"):
    data = paddle.text.Movielens(films, mode=mode, test_ratio=0.2, rand_seed=3)
    print(len(data), sorted(data.categories_dict), sorted(data.movie_title_dict))
    print(data.movie_info[1], data.user_info[2], np.random.random())
    for item in (data[0], data[1]):
        kinds, title = ({number: one for one, number in given.items()} for given in (data.categories_dict, data.movie_title_dict))
        print([one.tolist() for one in item[:5]], [one.shape for one in item], item[7].tolist())
        print([kinds[one] for one in item[5].tolist()], [title[one] for one in item[6].tolist()])

print("Conll05st")
words_of = ["The", "cat", "sat", "and", "slept", ".", "", "Dogs", "bark", "", "It", "rains", ""]
roles_of = [
    "- (A0* (A0*", "- *) *)", "sit (V*) *", "- * *", "sleep * (V*)", "- * *", "",
    "- (A0*)", "bark (V*)", "", "-", "-", "",
]
roles = packed(
    "conll05st/conll05st-tests.tar.gz",
    {
        f"conll05st-release/test.wsj/{kind}/test.wsj.{kind}.gz": gzip.compress("\n".join([*lines, ""]).encode())
        for kind, lines in (("words", words_of), ("props", roles_of))
    },
)
others = [
    written("conll05st/conll05st%2FwordDict.txt", "\n".join(["<unk>", "bos", "eos", "The", "cat", "sat", "bark"])),
    written("conll05st/conll05st%2FverbDict.txt", "\n".join(["sit", "sleep", "bark"])),
    written("conll05st/conll05st%2FtargetDict.txt", "\n".join(["B-A0", "I-A0", "B-V", "I-V", "O"])),
    written("conll05st/conll05st%2Femb", "no numbers"),
]
data = paddle.text.Conll05st(roles, *others)
print(len(data), data.sentences, data.predicates, data.labels)
for index in range(len(data)):
    item = data[index]
    roles = {number: one for one, number in data.get_dict()[2].items()}
    show(item[:8])
    print([roles[one] for one in item[8].tolist()])
print(data.get_dict()[:2], sorted(data.get_dict()[2]), pathlib.Path(data.get_embedding()).name)

if home_before is None:
    del os.environ["HOME"]
else:
    os.environ["HOME"] = home_before
folder.cleanup()
