"""What --describe and /api/openapi.json tell is what the server does: every parameter of every
endpoint refuses what is no value of its type, and names it; every example is answered."""
import json
import os
import re
import subprocess
import urllib.parse

from archive import HttpTest, request

FAULTY = {"list": "~no~such~", "choice": "~none~", "choices": "~none~", "timezone": "Mars/Olympus",
          "time": "yesterday", "bbox": "1,2,3", "integer": "1.5", "number": "many"}
# Texts: some are held to something, the others may be anything.
TEXTS = {"format": "docx", "filename": "a/b", "by": "fortnight", "normals": "2020-1991"}
FREE = {"missing", "trace"}
# Parameters that take a value only beside others.
STATIONS = ("station", "network", "state", "wfo", "country", "bbox")
BESIDE = {"/api/climodat/aggregate": {**dict.fromkeys(STATIONS, {"scope": "station"}),
                                      "region": {"scope": "region"}}}


def description():
    run = subprocess.run([os.environ["OBSTREAMD"], "--describe"], capture_output=True, text=True,
                         check=True)
    return json.loads(run.stdout)


def beside(endpoint, param):
    return BESIDE.get(endpoint["path"], {}).get(param["name"], {})


def whole_query(endpoint):
    """The first example's, but for stations, which another archive may not have."""
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(endpoint["examples"][0]).query)
    return {name: values for name, values in query.items() if name not in STATIONS}


def native(endpoint):
    """Those of the IEM refuse in their own way."""
    return not re.match("/(cgi-bin|api/1|json|geojson)/", endpoint["path"])


class Described(HttpTest):
    def faulty_values(self, param):
        kind = param["type"]
        if kind == "text":
            return [TEXTS[param["name"]]] if param["name"] in TEXTS else []
        values = [FAULTY[kind]]
        if kind in ("integer", "number"):
            low, high = param["minimum"], param["maximum"]
            values += [str(low - abs(low) / 2 - 1), str(high + abs(high) / 2 + 1)]
        return values

    def test_each_faulty_parameter_is_named(self):
        tried = 0
        for endpoint in filter(native, description()["endpoints"]):
            for param in endpoint["parameters"]:
                values = self.faulty_values(param)
                self.assertTrue(values or param["name"] in FREE, f"{param['name']} is not tried")
                for value in values:
                    with self.subTest(path=endpoint["path"], param=param["name"], value=value):
                        errors = self.problem(400, endpoint["path"],
                                              {**beside(endpoint, param),
                                               param["name"]: value})["errors"]
                        self.assertIn(param["name"], {e["parameter"] for e in errors})
                        self.assertTrue(all(e["detail"] for e in errors))
                        tried += 1
        self.assertGreater(tried, 150)

    def test_aliases_mean_the_parameter(self):
        for endpoint in filter(native, description()["endpoints"]):
            for param in endpoint["parameters"]:
                values = self.faulty_values(param)
                for alias in param.get("aliases", []) if values else []:
                    with self.subTest(path=endpoint["path"], alias=alias):
                        query = {**beside(endpoint, param), alias: values[0]}
                        errors = self.problem(400, endpoint["path"], query)["errors"]
                        self.assertIn(param["name"], {e["parameter"] for e in errors})

    def test_unknown_parameters_are_named(self):
        for endpoint in filter(native, description()["endpoints"]):
            if not endpoint["formats"]:
                continue
            with self.subTest(path=endpoint["path"]):
                query = {**whole_query(endpoint), "xyzzy": "1"}
                errors = self.problem(400, endpoint["path"], query)["errors"]
                self.assertEqual([e["parameter"] for e in errors], ["xyzzy"])


class Examples(HttpTest):
    archives = ("real", "iem")

    def test_each_example_is_answered(self):
        tried = 0
        for endpoint in description()["endpoints"]:
            for example in endpoint["examples"]:
                with self.subTest(example=example):
                    answer = request(example)
                    if native(endpoint):
                        self.assertEqual(answer.status, 200, answer.raw[:500])
                    else:  # their stations may not be in this archive
                        self.assertIn(answer.status, (200, 404, 422), answer.raw[:500])
                    tried += 1
        self.assertGreater(tried, 25)


class OpenApi(HttpTest):
    def document(self):
        answer = self.ok("/api/openapi.json", gzip=True)
        self.assertEqual(answer.media_type, "application/json")
        return answer.json

    def test_tells_the_same_as_describe(self):
        document = self.document()
        self.assertTrue(document["openapi"].startswith("3.1"))
        for endpoint in filter(native, description()["endpoints"]):
            if endpoint["path"].endswith("/") or not endpoint["formats"]:
                continue
            with self.subTest(path=endpoint["path"]):
                operation = document["paths"][endpoint["path"]]["get"]
                self.assertEqual([p["name"] for p in operation["parameters"]],
                                 [p["name"] for p in endpoint["parameters"]])
                reference = operation["responses"]["200"]["content"]["application/json"]["schema"][
                    "properties"]["data"]["items"]["$ref"]
                row = document["components"]["schemas"][reference.split("/")[-1]]
                self.assertEqual(list(row["properties"]), [c["name"] for c in endpoint["columns"]])
                self.assertEqual(len(row["properties"]), len(endpoint["columns"]), "a name twice")
                self.assertEqual(row["additionalProperties"] is not False,
                                 endpoint["more_columns"])
                for example in endpoint["examples"]:
                    self.assertIn(example.rstrip("?"), operation["description"])
                form = document["paths"][endpoint["path"]]["post"]["requestBody"]["content"]
                schema = form["application/x-www-form-urlencoded"]["schema"]
                self.assertEqual(list(schema["properties"]),
                                 [p["name"] for p in endpoint["parameters"]])

    def test_references_lead_somewhere(self):
        document = self.document()

        def walk(value):
            if isinstance(value, dict):
                target = value.get("$ref")
                if isinstance(target, str):
                    at = document
                    for part in target.lstrip("#/").split("/"):
                        at = at[part]
                for inner in value.values():
                    walk(inner)
            elif isinstance(value, list):
                for inner in value:
                    walk(inner)
        walk(document)

    def test_operation_ids_are_unique(self):
        ids = [o["operationId"] for p in self.document()["paths"].values() for o in p.values()]
        self.assertEqual(len(ids), len(set(ids)))


class Docs(HttpTest):
    def loaded(self, html):
        """What a browser loads of a page by itself."""
        return re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]*)"', html) + \
            re.findall(r'<link[^>]* href="([^"]*)"', html)

    def test_page_loads_nothing_from_elsewhere(self):
        for path in ("/docs", "/docs/plain"):
            answer = self.ok(path, gzip=True)
            self.assertEqual(answer.media_type, "text/html")
            policy = answer.headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("http", policy)
            for target in self.loaded(answer.text):
                if target.startswith("data:"):
                    continue
                self.assertTrue(target.startswith("/docs/"), target)
                part = self.ok(target, gzip=True)
                self.assertGreater(len(part.body), 100)
                if part.media_type == "text/css":
                    self.assertNotRegex(part.text, r"(?i)@import|url\(['\"]?(https?:)?//")

    def test_plain_page_names_everything(self):
        text = self.ok("/docs/plain").text
        for endpoint in description()["endpoints"]:
            self.assertIn(f">{endpoint['path'].rstrip('/')}", text)
            if native(endpoint):
                for name in [p["name"] for p in endpoint["parameters"] + endpoint["columns"]]:
                    self.assertIn(f"<code>{name}</code>", text)
        self.assertNotIn("<script", text)

    def test_links_of_the_plain_page(self):
        links = re.findall(r'href="(/[^"]*)"', self.ok("/docs/plain").text)
        self.assertGreater(len(links), 20)
        for link in links:
            path = urllib.parse.urlsplit(link.replace("&amp;", "&")).path
            if path.startswith("/cgi-bin/"):
                self.assertEqual(request(path + "?help").status, 200, link)

    def test_nothing_else_is_there(self):
        self.problem(404, "/docs/nothing.js")
        self.assertEqual(request("/docs", method="POST").status, 405)
