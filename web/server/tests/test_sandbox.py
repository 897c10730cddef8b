"""SQL that users give can read the trace's tables and nothing else."""

from __future__ import annotations

import hashlib
import socket
import time
from pathlib import Path

import pytest
from wastenot.web.local import LocalServer, Serve

ESCAPES = [
    "ATTACH '/tmp/other.duckdb' AS other",
    "DETACH wasted",
    "COPY trace TO '/tmp/stolen.csv'",
    "COPY (SELECT 1) TO '/tmp/stolen.csv'",
    "EXPORT DATABASE '/tmp/stolen'",
    "IMPORT DATABASE '/tmp/stolen'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA database_list",
    "PRAGMA enable_external_access",
    "SET enable_external_access = true",
    "SET memory_limit = '100GB'",
    "SET threads = 1000",
    "RESET memory_limit",
    "CALL force_checkpoint()",
    "CHECKPOINT",
    "VACUUM",
    "USE memory",
    "BEGIN",
    "PREPARE q AS SELECT 1",
    "CREATE TABLE mine AS SELECT 1",
    "CREATE TEMP TABLE mine AS SELECT 1",
    "CREATE MACRO mine() AS 1",
    "CREATE SECRET (TYPE s3)",
    "INSERT INTO trace SELECT * FROM trace",
    "UPDATE trace SET source = 'x'",
    "DELETE FROM trace",
    "DROP TABLE trace",
    "ALTER TABLE trace ADD COLUMN x INTEGER",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE trace",
    "",
    "-- nothing",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_csv_auto('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_json('/etc/passwd')",
    "SELECT * FROM read_parquet('/etc/passwd')",
    "SELECT * FROM parquet_metadata('/etc/passwd')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
    "FROM query('COPY trace TO ''/tmp/stolen.csv''')",
    "EXPLAIN ANALYZE COPY trace TO '/tmp/stolen.csv'",
    "EXPLAIN ANALYZE CREATE TEMP TABLE mine AS SELECT 1",
    "SELECT * FROM nothing_of_that_name",
    "SELEKT 1",
]


@pytest.mark.parametrize("sql", ESCAPES)
def test_a_statement_that_is_not_a_query_over_the_trace_is_refused_in_one_line(served: LocalServer, sql: str) -> None:
    answer = served.sql(sql)
    assert answer.status == 400, answer.body[:300]
    assert "query refused" in answer.error()
    assert b"root:" not in answer.body
    assert not Path("/tmp/stolen.csv").exists() and not Path("/tmp/stolen").exists()


def test_a_refused_query_comes_with_its_line_and_a_caret_below_the_place(served: LocalServer) -> None:
    answer = served.sql("SELECT cpu,\n  nothing\nFROM cpu")
    assert answer.status == 400 and "nothing" in answer.error()
    line, caret = answer.json()["drawing"].split("\n")
    assert line.startswith("LINE 2: ") and line[caret.index("^") :].startswith("nothing")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM thread",
        "FROM trace",
        "WITH a AS (SELECT 1 AS n) FROM a",
        "VALUES (1)",
        "DESCRIBE thread",
        "SHOW TABLES",
        "SUMMARIZE thread",
        "EXPLAIN SELECT 1",
        "SELECT task_state_name(prev_state) FROM sched_switch LIMIT 3",
    ],
)
def test_queries_are_answered(served: LocalServer, sql: str) -> None:
    answer = served.sql(sql)
    assert answer.status == 200, answer.body
    assert answer.arrow().num_rows > 0
    assert float(answer.arrow().schema.metadata[b"elapsed_ms"]) >= 0


def test_a_result_ends_at_its_limit_and_says_so(served: LocalServer) -> None:
    answer = served.sql("SELECT * FROM range(100000)", limit=100)
    assert answer.arrow().num_rows == 100
    assert answer.arrow().schema.metadata[b"truncated"] == b"true"
    assert served.sql("SELECT * FROM range(100)", limit=100).arrow().schema.metadata[b"truncated"] == b"false"


ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r"


def test_an_endless_query_is_stopped_and_others_are_answered_meanwhile(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], sql_seconds=1.0)
    began = time.monotonic()
    answer = own.sql(ENDLESS)
    assert answer.status == 400 and "longer than 1 s" in answer.error()
    assert time.monotonic() - began < 20
    assert own.sql("SELECT 1").status == 200


def test_a_query_over_the_memory_limit_is_refused(served: LocalServer) -> None:
    sql = "SELECT list(repeat('x', 100) || range) FROM range(20000000)"
    answer = served.sql(sql)
    assert answer.status in (200, 400)
    if answer.status == 400:
        assert answer.error()
    assert served.sql("SELECT 1").status == 200


def test_a_query_ends_when_its_client_goes(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], sql_seconds=60.0, running_queries=1)
    body = b'{"sql": "' + ENDLESS.encode() + b'"}'
    head = "POST /api/traces/wasted/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", own.port)) as s:
        s.sendall(head.encode() + body)
        time.sleep(0.3)
    began = time.monotonic()
    assert own.ask("/api/traces/wasted/threads").status == 200  # the one thread for queries is free again
    assert time.monotonic() - began < 10


def test_the_file_is_never_written(served: LocalServer, wasted_trace: Path) -> None:
    before = hashlib.sha256(wasted_trace.read_bytes()).hexdigest()
    for sql in ESCAPES[:10]:
        served.sql(sql)
    assert hashlib.sha256(wasted_trace.read_bytes()).hexdigest() == before
    assert [p.name for p in wasted_trace.parent.iterdir()] == [wasted_trace.name]
