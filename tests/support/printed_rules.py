"""Hold rules as a reader of the printed guide understands them: from its sentences alone, one table for each language.

Nothing here comes from the grammar of the rules or from the catalogues: the phrases below were written down from the
printed guides. What a reader brings along are the rules of the game: the names of the boxes, what they pay, and which
box counts which face.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from perfect_yatzy import RuleSet
from perfect_yatzy.policies.hold_rules import Condition, DicePattern, HoldRule, hold_rule

NUMBERS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "sv": "en två tre fyra fem sex sju åtta nio tio elva tolv",
    "da": "en to tre fire fem seks syv otte ni ti elleve tolv",
    "nb": "én to tre fire fem seks sju åtte ni ti elleve tolv",
    "de": "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fi": "yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen yksitoista kaksitoista",
}
AND = {"en": " and ", "sv": " och ", "da": " og ", "nb": " og ", "de": " und ", "fi": " ja "}
OR = {"en": " or ", "sv": " eller ", "da": " eller ", "nb": " eller ", "de": " oder ", "fi": " tai "}
IF = {"en": ", if ", "sv": ", om ", "da": ", hvis ", "nb": ", hvis ", "de": ", wenn ", "fi": ", jos "}
UPPER = {
    "en": ("an upper box", "all upper boxes", "upper boxes"),
    "sv": ("någon övre ruta", "alla övre rutor", "övre rutor"),
    "da": ("et øvre felt", "alle øvre felter", "øvre felter"),
    "nb": ("en øvre rute", "alle øvre ruter", "øvre ruter"),
    "de": ("ein oberes Feld", "alle oberen Felder", "obere Felder"),
    "fi": ("yläruutu", "kaikki yläruudut", "yläruutuja"),
}
LOWER = {
    "en": ("a lower box", "all lower boxes", "lower boxes"),
    "sv": ("någon nedre ruta", "alla nedre rutor", "nedre rutor"),
    "da": ("et nedre felt", "alle nedre felter", "nedre felter"),
    "nb": ("en nedre rute", "alle nedre ruter", "nedre ruter"),
    "de": ("ein unteres Feld", "alle unteren Felder", "untere Felder"),
    "fi": ("alaruutu", "kaikki alaruudut", "alaruutuja"),
}
# {n} number, {p} points, {f} faces, {b} box, {o} boxes joined by "or", {a} boxes joined by "and", {l} numbers joined by "and".
# (..)? marks what may be left out: faces, the upper box, which of equal faces.
PATTERNS = {
    "en": {
        "any": "Any roll",
        "score": "{o} is open and your dice score(?: at least {p} points)? in it",
        "most": "(?:The face you have most of|Of the faces(?: {f})?(?P<open> whose upper box is open)?, the one you have most of)(?P<low>, if equal the lower face)?",
        "alike": "At least {n} alike(?: of {f})?(?P<open>, their upper box open)?(?P<low>, if equal the lower face)?",
        "alike ": "At least {n} dice that show {f}(?P<open>, their upper box open)?(?P<low>, if equal the lower face)?",
        "several": "{m} faces(?: of {f})? with at least {n} dice each(?P<open>, their upper box open)?",
        "unequal": "Different faces(?: of {f})? with at least {l} dice(?P<open>, their upper box open)?",
        "some": "At least one die(?: that shows {f}(?: and)?)?(?P<open> whose upper box is open)?",
        "all": "All of the faces {l}",
        "different": "At least {n} different faces(?: of {f})?",
        "row": "At least {n} faces in a row(?: of {f})?",
    },
    "sv": {
        "any": "Vilket kast som helst",
        "score": "{o} är ledig och tärningarna ger(?: minst {p})? poäng i den",
        "most": "(?:Siffran du har flest av|Av siffrorna(?: {f})?(?P<open> vars övre ruta är ledig)?, den du har flest av)(?P<low>, vid lika den lägre)?",
        "alike": "Minst {n} lika(?: av {f})?(?P<open>, deras övre ruta ledig)?(?P<low>, vid lika den lägre)?",
        "alike ": "Minst {n} tärningar som visar {f}(?P<open>, deras övre ruta ledig)?(?P<low>, vid lika den lägre)?",
        "several": "{m} siffror(?: av {f})? med minst {n} tärningar var(?P<open>, deras övre ruta ledig)?",
        "unequal": "Olika siffror(?: av {f})? med minst {l} tärningar(?P<open>, deras övre ruta ledig)?",
        "some": "Minst en tärning(?: som visar {f}(?: och)?)?(?P<open> vars övre ruta är ledig)?",
        "all": "Alla siffrorna {l}",
        "different": "Minst {n} olika siffror(?: av {f})?",
        "row": "Minst {n} siffror i följd(?: av {f})?",
    },
    "da": {
        "any": "Ethvert kast",
        "score": "{o} er ledigt, og terningerne giver(?: mindst {p})? point i det",
        "most": "(?:Tallet, du har flest af|Af tallene(?: {f})?(?P<open>, hvis øvre felt er ledigt,)? det, du har flest af)(?P<low>, ved lighed det lavere)?",
        "alike": "Mindst {n} ens(?: af {f})?(?P<open>, deres øvre felt ledigt)?(?P<low>, ved lighed det lavere)?",
        "alike ": "Mindst {n} terninger, der viser {f}(?P<open>, deres øvre felt ledigt)?(?P<low>, ved lighed det lavere)?",
        "several": "{m} tal(?: af {f})? med mindst {n} terninger hver(?P<open>, deres øvre felt ledigt)?",
        "unequal": "Forskellige tal(?: af {f})? med mindst {l} terninger(?P<open>, deres øvre felt ledigt)?",
        "some": "Mindst én terning(?:, der viser {f})?(?P<open>,(?: og)? hvis øvre felt er ledigt)?",
        "all": "Alle tallene {l}",
        "different": "Mindst {n} forskellige tal(?: af {f})?",
        "row": "Mindst {n} tal i rækkefølge(?: af {f})?",
    },
    "nb": {
        "any": "Hvilket som helst kast",
        "score": "{o} er ledig, og terningene gir(?: minst {p})? poeng i den",
        "most": "(?:Tallet du har flest av|Av tallene(?: {f})?(?P<open> med ledig øvre rute)?, det du har flest av)(?P<low>, ved likhet det lavere)?",
        "alike": "Minst {n} like(?: av {f})?(?P<open>, deres øvre rute ledig)?(?P<low>, ved likhet det lavere)?",
        "alike ": "Minst {n} terninger som viser {f}(?P<open>, deres øvre rute ledig)?(?P<low>, ved likhet det lavere)?",
        "several": "{m} tall(?: av {f})? med minst {n} terninger hver(?P<open>, deres øvre rute ledig)?",
        "unequal": "Ulike tall(?: av {f})? med minst {l} terninger(?P<open>, deres øvre rute ledig)?",
        "some": "Minst én terning(?: som viser {f})?(?P<open> (?:og har|med) ledig øvre rute)?",
        "all": "Alle tallene {l}",
        "different": "Minst {n} ulike tall(?: av {f})?",
        "row": "Minst {n} tall på rad(?: av {f})?",
    },
    "de": {
        "any": "Jeder Wurf",
        "score": "{o} ist frei und deine Würfel zählen darin(?: mindestens {p} Punkte)?",
        "most": "(?:Die Zahl, die du am häufigsten hast|Von den Zahlen(?: {f})?(?P<open>, deren oberes Feld frei ist, die,| )? ?(?:die, )?die du am häufigsten hast)(?P<low>, bei Gleichstand die niedrigere)?",
        "alike": "Mindestens {n} gleiche(?: aus {f})?(?P<open>, ihr oberes Feld frei)?(?P<low>, bei Gleichstand die niedrigere)?",
        "alike ": "Mindestens {n} Würfel, die {f} zeigen(?P<open>, ihr oberes Feld frei)?(?P<low>, bei Gleichstand die niedrigere)?",
        "several": "{m} Zahlen(?: aus {f})? mit mindestens je {n} Würfeln(?P<open>, ihr oberes Feld frei)?",
        "unequal": "Verschiedene Zahlen(?: aus {f})? mit mindestens {l} Würfeln(?P<open>, ihr oberes Feld frei)?",
        "some": "Mindestens ein Würfel,(?: der {f} zeigt)?(?P<open>(?: und)? dessen oberes Feld frei ist)?",
        "all": "Alle Zahlen {l}",
        "different": "Mindestens {n} verschiedene Zahlen(?: aus {f})?",
        "row": "Mindestens {n} Zahlen in Folge(?: aus {f})?",
    },
    "fi": {
        "any": "Mikä tahansa heitto",
        "score": "{o} on vapaa ja nopat antavat siinä (?:pisteitä|vähintään {p} pistettä)",
        "most": "(?:Luku, jota on eniten|Luvuista(?: {f})?(?P<open>, joiden yläruutu on vapaa,)? se, jota on eniten)(?P<low>, tasatilanteessa pienempi)?",
        "alike": "Vähintään {n} samaa(?: luvuista {f})?(?P<open>, niiden yläruutu vapaa)?(?P<low>, tasatilanteessa pienempi)?",
        "alike ": "Vähintään {n} noppaa, joissa on {f}(?P<open>, niiden yläruutu vapaa)?(?P<low>, tasatilanteessa pienempi)?",
        "several": "{m} lukua(?: luvuista {f})?, kutakin vähintään {n} noppaa(?P<open>, niiden yläruutu vapaa)?",
        "unequal": "Eri lukuja(?: luvuista {f})?, vähintään {l} noppaa(?P<open>, niiden yläruutu vapaa)?",
        "some": "Vähintään yksi noppa,(?: jossa on {f}(?: ja)?)?(?P<open> jonka yläruutu on vapaa)?",
        "all": "Kaikki luvut {l}",
        "different": "Vähintään {n} eri lukua(?: luvuista {f})?",
        "row": "Vähintään {n} peräkkäistä lukua(?: luvuista {f})?",
    },
}
CONDITIONS = {
    "en": {
        "open": "{o} is open|this turn can fill {o}",
        "closed": "{a} (?:is|are) filled|this turn cannot fill {o}",
        "only": "no box but {o} is open|this turn can fill nothing but {o}",
        "above": r"the upper sum is at or above par but below (?P<top>\d+)",
        "below": r"the upper sum is below par or already (?P<top>\d+)",
        "needs": "the bonus needs {t} (?:die|dice) in each empty upper box",
        "rolls": "{n} rolls? (?:is|are) left",
        "turns": "{t} turns? (?:is|are) left",
        "scored": "{b} holds points",
    },
    "sv": {
        "open": "{o} är ledig|omgången kan fylla {o}",
        "closed": "{a} är ifyllda?|omgången inte kan fylla {o}",
        "only": "ingen annan ruta än {o} är ledig|omgången inte kan fylla något annat än {o}",
        "above": r"övre summan är lika med eller över bonustakten men under (?P<top>\d+)",
        "below": r"övre summan är under bonustakten eller redan (?P<top>\d+)",
        "needs": "bonusen kräver {t} tärning(?:ar)? i varje tom övre ruta",
        "rolls": "{n} kast återstår",
        "turns": "{t} omgång(?:ar)? återstår",
        "scored": "{b} har gett poäng",
    },
    "da": {
        "open": "{o} er ledigt|turen kan udfylde {o}",
        "closed": "{a} er udfyldt|turen ikke kan udfylde {o}",
        "only": "intet andet felt end {o} er ledigt|turen ikke kan udfylde andet end {o}",
        "above": r"den øvre sum er lig med eller over bonustakten, men under (?P<top>\d+)",
        "below": r"den øvre sum er under bonustakten eller allerede (?P<top>\d+)",
        "needs": "bonussen kræver {t} terning(?:er)? i hvert tomt øvre felt",
        "rolls": "der er {n} kast tilbage",
        "turns": "der er {t} ture? tilbage",
        "scored": "{b} har givet point",
    },
    "nb": {
        "open": "{o} er ledig|runden kan fylle {o}",
        "closed": "{a} er fylt ut|runden ikke kan fylle {o}",
        "only": "ingen annen rute enn {o} er ledig|runden ikke kan fylle noe annet enn {o}",
        "above": r"den øvre summen er lik eller over bonustakten, men under (?P<top>\d+)",
        "below": r"den øvre summen er under bonustakten eller allerede (?P<top>\d+)",
        "needs": "bonusen krever {t} terning(?:er)? i hver tom øvre rute",
        "rolls": "{n} kast gjenstår",
        "turns": "{t} runder? gjenstår",
        "scored": "{b} har gitt poeng",
    },
    "de": {
        "open": "{o} frei ist|diese Runde {o} füllen kann",
        "closed": "{a} ausgefüllt (?:ist|sind)|diese Runde nicht {o} füllen kann",
        "only": "kein anderes Feld als {o} frei ist|diese Runde nichts anderes als {o} füllen kann",
        "above": r"die obere Summe auf oder über Bonuskurs, aber unter (?P<top>\d+) ist",
        "below": r"die obere Summe unter Bonuskurs oder schon (?P<top>\d+) ist",
        "needs": "für den Bonus in jedem leeren oberen Feld {t} Würfel (?:fehlt|fehlen)",
        "rolls": "noch {n} (?:Wurf|Würfe) übrig (?:ist|sind)",
        "turns": "noch {t} Runden? übrig (?:ist|sind)",
        "scored": "{b} Punkte hat",
    },
    "fi": {
        "open": "{o} on vapaa|vuorolla voi täyttää ruudun {o}",
        "closed": "{a} on täytetty|vuorolla ei voi täyttää ruutua {o}",
        "only": "mikään muu ruutu kuin {o} ei ole vapaa|vuorolla ei voi täyttää muuta ruutua kuin {o}",
        "above": r"yläsumma on bonustahdissa tai yli mutta alle (?P<top>\d+)",
        "below": r"yläsumma on alle bonustahdin tai jo (?P<top>\d+)",
        "needs": "bonukseen tarvitaan {t} noppaa? jokaiseen tyhjään yläruutuun",
        "rolls": "{n} heitto?a? on jäljellä",
        "turns": "{t} vuoroa? on jäljellä",
        "scored": "ruudussa {b} on pisteitä",
    },
}
# What the legend says of the bonus: the upper sums that it is paid from.
BONUS = {
    "en": "bring the upper sum to {steps} if",
    "sv": "lyfter övre summan till {steps} om",
    "da": "bringer den øvre sum op på {steps}, hvis",
    "nb": "bringer den øvre summen opp i {steps} hvis",
    "de": "die obere Summe {steps} erreicht",
    "fi": "yläsumma nousee lukuun {steps}, kun",
}
ACTIONS = {
    "en": ("keep all of them", "keep one of each", "keep one of each in the longest row, if equal the higher", "stop", "roll all dice"),
    "sv": ("behåll alla dessa", "behåll en av varje", "behåll en av varje i den längsta följden, vid lika den högre", "stanna", "slå om alla"),
    "da": ("behold alle disse", "behold en af hver", "behold en af hver i den længste række, ved lighed den højere", "stop", "slå alle om"),
    "nb": ("behold alle disse", "behold én av hver", "behold én av hver i den lengste rekken, ved likhet den høyere", "stopp", "kast alle om igjen"),
    "de": ("alle diese behalten", "je einen behalten", "je einen der längsten Folge behalten, bei Gleichstand der höheren", "aufhören", "alle neu werfen"),
    "fi": ("pidä ne kaikki", "pidä yksi kutakin", "pidä yksi kutakin pisimmästä jonosta, tasatilanteessa suuremmasta", "lopeta", "heitä kaikki"),
}  # fmt: skip
READ = {  # name of a phrase below -> kind of a pattern or condition
    **dict.fromkeys(("alike", "most", "several", "unequal"), "groups"), "some": "dice", "all": "different",
    "score": "pays", "above": "above par", "below": "below par", "needs": "bonus needs", "rolls": "rolls left",
    "turns": "turns left",
}  # fmt: skip
KEPT = {"different": 1, "row": 2}  # pattern -> which of the ACTIONS keeps its dice; the first does of all others


class PrintedGuide:
    """A reader of the text of a guide.

    Parameters
    ----------
    rules
        With the names of the boxes in the language.
    text
        As `yatzy guide` prints it.
    """

    def __init__(self, rules: RuleSet, language: str, text: str) -> None:
        self.rules, self.language = rules, language
        self.names = {box.name: box.id for box in rules.categories}
        self.sections = {True: UPPER[language], False: LOWER[language]}
        self.rule_texts = [*numbered_sentences(text)]
        self.holds = tuple(self.read(sentence) for sentence in self.rule_texts)
        self.par = self.read_par(text)
        self.steps = self.read_steps(text)

    def read_par(self, text: str) -> dict[str, Fraction]:
        """Par of each upper box: the first list of upper boxes with a number each."""
        flat, found = " ".join(text.split()), {}
        upper = [box for box in self.rules.categories if box.face]
        number = r"[+−]?\d+(?:[.,]\d+)?"
        listed = r", ".join(rf"{re.escape(box.name)} ({number})" for box in upper)
        if upper and (match := re.search(listed, flat)):
            found = {
                box.id: Fraction(value.replace(",", ".")) for box, value in zip(upper, match.groups(), strict=True)
            }
        return found

    def read_steps(self, text: str) -> list[int]:
        """The upper sums that the bonus is paid from, as far as the legend names them."""
        listed = rf"((?:\d+(?:, |{OR[self.language]})?)+)"
        found = re.search(BONUS[self.language].replace("{steps}", listed), " ".join(text.split()))
        return [int(step) for step in re.findall(r"\d+", found[1])] if found else []

    def phrase(self, text: str) -> str:
        """A phrase as a regular expression."""
        number = "(?:" + "|".join([*NUMBERS[self.language].split(), r"\d+"]) + ")"
        faces = r"\d+(?:–\d+)?"
        numbers = rf"{number}(?:(?:, |{AND[self.language]}){number})*"
        boxes = "|".join(sorted((re.escape(n) for n in [*self.names, *sum(self.sections.values(), ())]), key=len))
        boxes = "(?:" + "|".join(reversed(boxes.split("|"))) + ")"
        parts = {
            "n": f"(?P<n>{number})",
            "m": f"(?P<m>(?i:{number}))",
            "f": f"(?P<f>{faces})",
            "t": rf"(?P<t>\d+–\d+|{number})",
            "l": f"(?P<l>{numbers})",
            "p": r"(?P<p>\d+)",
            "b": f"(?P<b>{boxes})",
            "o": f"(?P<o>{boxes}(?:, {boxes})*(?:{OR[self.language]}{boxes})?)",
            "a": f"(?P<a>{boxes}(?:, {boxes})*(?:{AND[self.language]}{boxes})?)",
        }
        return re.sub(r"\{([a-z])\}", lambda match: parts[match[1]], text)

    def read(self, sentence: str) -> HoldRule:
        """What a sentence says."""
        actions = "|".join(map(re.escape, ACTIONS[self.language]))
        for kind, phrase in PATTERNS[self.language].items():
            whole = rf"{self.phrase(phrase)}(?:{IF[self.language]}(?P<if>.+))?: (?P<action>{actions})\."
            if match := re.fullmatch(whole, sentence):
                found = match.groupdict()
                conditions = self.read_conditions(found["if"]) if found["if"] else ()
                if conditions is not None:
                    return self.rule(kind.strip(), found, conditions)
        raise AssertionError(f"cannot read {sentence!r}")

    def rule(self, kind: str, found: dict[str, str | None], conditions: tuple[Condition, ...]) -> HoldRule:
        low, high = self.span(found["f"]) if found.get("f") else (1, self.rules.faces)
        sizes = (self.number(found["n"]),) if found.get("n") else ()
        if kind == "several":
            sizes *= self.number(found["m"])
        elif kind in ("unequal", "all"):
            sizes = tuple(self.number(part) for part in re.split(f", |{AND[self.language]}", found["l"] or ""))
        elif kind == "most":
            sizes = (1,)
        if kind == "all":
            low, high, sizes = min(sizes), max(sizes), (len(sizes),)
        kind = READ.get(kind, kind)
        done = ACTIONS[self.language].index(found["action"] or "")
        assert done > 2 or done == KEPT.get(kind, 0), found
        boxes = tuple(self.names[name] for name in self.split_names(found.get("o")))
        is_open, lowest = bool((found.get("open") or "").strip()), bool(found.get("low"))
        pattern = DicePattern(kind, sizes, low, high, is_open, lowest, boxes, int(found.get("p") or 1))  # type: ignore[arg-type]
        return hold_rule(self.rules, pattern, conditions, ("keep", "keep", "keep", "stop", "roll all")[done])  # type: ignore[arg-type]

    def read_conditions(self, text: str) -> tuple[Condition, ...] | None:
        """The conditions of a sentence; None if it cannot be read so."""
        for kind, phrases in CONDITIONS[self.language].items():
            for phrase in split_phrases(phrases):
                match = re.match(self.phrase(phrase), text)
                if not match:
                    continue
                condition, rest = self.condition(kind, match.groupdict()), text[match.end() :]
                if not rest:
                    return (condition,)
                for separator in (", ", AND[self.language]):
                    if rest.startswith(separator):
                        others = self.read_conditions(rest.removeprefix(separator))
                        if others is not None:
                            return (condition, *others)
        return None

    def condition(self, kind: str, found: dict[str, str | None]) -> Condition:
        if found.get("top"):
            assert int(found["top"] or "") == self.rules.threshold
        low, high = 0, 0
        if text := found.get("t") or found.get("n"):
            low, high = self.span(text) if "–" in text else (self.number(text),) * 2
        names = self.split_names(found.get("o") or found.get("a") or found.get("b"))
        ids = tuple(box for name in names for box in self.boxes(name))
        return Condition(READ.get(kind, kind), ids, low, high)  # type: ignore[arg-type]

    def split_names(self, listed: str | None) -> list[str]:
        """The names of a list, longest first."""
        names = sorted([*self.names, *self.sections[True], *self.sections[False]], key=len, reverse=True)
        return re.findall("|".join(map(re.escape, names)), listed or "")

    def boxes(self, name: str) -> list[str]:
        if name in self.names:
            return [self.names[name]]
        upper = name in self.sections[True]
        return [box.id for box in self.rules.categories if box.upper == upper]

    def number(self, text: str | None) -> int:
        words = NUMBERS[self.language].split()
        text = (text or "").lower()
        return int(text) if text.isdigit() else words.index(text) + 1

    @staticmethod
    def span(text: str | None) -> tuple[int, int]:
        low, _, high = (text or "").partition("–")
        return int(low), int(high or low)


def split_phrases(phrases: str) -> list[str]:
    """The alternatives of a phrase at its outer level."""
    parts, depth = [""], 0
    for letter in phrases:
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def numbered_sentences(text: str) -> Iterator[str]:
    """The numbered sentences of the printed guide, without what each is worth."""
    lines = iter(text.splitlines())
    sentence, expected = "", 1
    for line in lines:
        if match := re.fullmatch(rf" {{0,3}}{expected} (\S.*)", line):
            sentence, expected = match[1], expected + 1
        elif sentence and line.startswith("    "):
            sentence += " " + line.strip()
        if match := re.fullmatch(r"(.*[.])(?: {2,}[−+]?\d+[.,]\d+)?", sentence):
            yield match[1]
            sentence = ""
