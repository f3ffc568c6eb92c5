"""Submissions and assessments in INEX XML."""

from __future__ import annotations

from pathlib import Path

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE inex-submission SYSTEM "inex-submission.dtd">
<inex-submission participant-id="12" run-id="ours" task="CO" query="automatic" result-type="element">
  <topic-fields title="yes" description='no'/>
  <description>&eacute; titles only</description>
  <collections><collection>ieee</collection></collections>
"""


def submission(*topics: str, head: str = HEAD) -> str:
    return head + "\n".join(topics) + "\n</inex-submission>\n"


def result(*fields: str) -> str:
    return "<result>" + "".join(fields) + "</result>"


def topic(name: str, *results: str) -> str:
    return f'<topic topic-id="{name}">' + "\n".join(results) + "</topic>"


OF_2004 = """<?xml version='1.0'?>
<!DOCTYPE assessments SYSTEM "assessments.dtd">
<assessments topic="163">
  <file file='co/2001/r7022'>
    <path path="/article[1]" exhaustiveness="3" specificity="2"/>
    <path path='/article[1]/bdy[1]' exhaustiveness='0' specificity='0' />
  </file>
  <file file="co/2001/r1"></file>
</assessments>
"""


OF_2006 = """<assessments pool="{pool}" topic="{topic}" version="2">
<inex_topic topic_id="7" query_type="CO" ct_no="3"><title>t</title><file file="no"/></inex_topic>
 <file collection="ieee" name="d">
   <best-entry-point path="/article[1]/bdy[1]/p[1]/text()[1].6"/>
   <passage start="/article[1]/bdy[1]/p[1]/text()[1].6" end="/article[1]/bdy[1]/p[2]/text()[1].5" size="9"/>
   <element path="/article[1]" exhaustivity="2" size="25" rsize="9"/>
   <element path="/article[1]/bdy[1]" exhaustivity="2" size="25" rsize="9"/>
   <element path="/article[1]/bdy[1]/p[1]" exhaustivity="2" size="10" rsize="4"/>
   <element path="/article[1]/bdy[1]/p[2]" exhaustivity="?" size="15" rsize="5"/>
 </file>
 <file collection="ieee" name="e">
 </file>
</assessments>
"""


def pools(folder: Path) -> Path:
    """A folder as distributed by INEX: main pools, other pools and a DTD. Pool 1 highlights two characters less."""
    for name, pool, number in (
        ("main/topic-7/pool-2", 2, 7),
        ("others/topic-7/pool-1", 1, 7),
        ("main/topic-8/p", 3, 8),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        head = '<?xml version="1.0"?>\n<!DOCTYPE assessments SYSTEM "../../assessments.dtd">\n'
        text = OF_2006.format(pool=pool, topic=number)
        if pool == 1:
            text = text.replace('.5" size="9"', '.3" size="7"').replace('rsize="9"', 'rsize="7"')
            text = text.replace('rsize="5"', 'rsize="3"')
        (folder / f"{name}.xml").write_text(head + text)
    (folder / "main" / "assessments.dtd").write_text("<!ELEMENT nonsense")
    (folder / "main" / ".hidden.xml").write_text("<nothing/>")
    return folder


DOCUMENT = "<article><bdy><p>alpha beta</p><p>gamma <b>delta</b> end</p></bdy></article>"


PASSAGE_RUN = submission(
    topic(
        "7",
        result(
            "<file>d</file><passage start='/article[1]/bdy[1]/p[1]/text()[1].0' "
            "end='/article[1]/bdy[1]/p[1]/text()[1].8'/><rank>1</rank>"
        ),
        result("<file>d</file><path>/article[1]/bdy[1]/p[2]</path><rank>2</rank>"),
    )
)
