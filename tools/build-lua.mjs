/**
 * Compiles the core and its Redis adapter to Lua and wraps the modules for the four places they run
 * in: a function library, a script for EVALSHA, the legacy script, and a library for scripts of
 * one's own. Modules are loaded on first use, so that a script's call evaluates only what it needs.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const compiled = join(dist, "lua");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

rmSync(compiled, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const tstl = join(root, "node_modules", "typescript-to-lua", "dist", "tstl.js");
execFileSync(process.execPath, [tstl, "-p", join(root, "tsconfig.lua.json")], { stdio: "inherit" });

const files = readdirSync(compiled, { recursive: true })
  .filter((file) => file.endsWith(".lua") && file !== "lualib_bundle.lua")
  .sort();
const modules = files.map((file) => ({
  name: relative(".", file)
    .replace(/\.lua$/, "")
    .split(sep)
    .join("."),
  code: dropUnused(addUp(flattenJoins(readFileSync(join(compiled, file), "utf8").trimEnd()))),
}));

/** Commands by name, with the module and the export that hold each, out of the table of commands. */
function readCommands() {
  const index = readFileSync(join(root, "src/core/commands/index.ts"), "utf8");
  const imports = new Map(
    [...index.matchAll(/import \{ (\w+) \} from "\.\/([\w-]+)\.ts";/g)].map((m) => [m[1], m[2]]),
  );
  const table = index.slice(index.indexOf("export const commands"));
  return [...table.matchAll(/^ {2}(?:"([\w.]+)": )?(\w+),$/gm)].map(([, quoted, exported]) => {
    const file = imports.get(exported);
    const source = readFileSync(join(root, `src/core/commands/${file}.ts`), "utf8");
    return {
      name: quoted ?? exported,
      exported,
      module: `core.commands.${file}`,
      writes: /^ {2}writes: true,$/m.test(source),
      frees: /^ {2}frees: true,$/m.test(source),
    };
  });
}

/** Imports that nobody uses any more, since lua-plugin.cjs has written functions where they are called. */
function dropUnused(code) {
  const isUsed = (name) => code.match(new RegExp(`\\b${name}\\b`, "g")).length > 1;
  for (const pattern of [
    /^local (\w+) = ____\w+\.\w+\n/gm,
    /^local (____\w+) = require\(.*\)\n/gm,
  ]) {
    code = code.replace(pattern, (line, name) =>
      name === "____exports" || isUsed(name) ? line : "",
    );
  }
  return code;
}

/** Lists begin at 1 in Lua, so that the compiler writes `list[i + 2 + 1]`, and Lua adds twice. */
function addUp(code) {
  return code.replace(/(\[\w+) \+ (\d+) \+ 1\]/g, (_, start, n) => `${start} + ${Number(n) + 1}]`);
}

/**
 * Lua joins `a .. b .. c` at once, but `(a .. b) .. c`, which the compiler writes, in two steps with
 * a text in between. Joining is associative, so the brackets around a join that is joined can go.
 */
function flattenJoins(code) {
  const tokens = [
    ...code.matchAll(/--[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\s+|\w+|\.\.|[~=<>]=|./gs),
  ];
  const words = tokens.map(([word]) => word);
  const open = [];
  const solid = (from, step) => {
    let i = from + step;
    while (/^\s/.test(words[i] ?? "")) i += step;
    return words[i] ?? "";
  };
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "(") open.push({ at: i, joins: false, other: false });
    else if (words[i] === ")") {
      const { at, joins, other } = open.pop();
      const called =
        /^[\w\])"']/.test(solid(at, -1)) && !/^(return|and|or|not|in)$/.test(solid(at, -1));
      if (joins && !other && !called && solid(i, 1) === "..") {
        words[at] = "";
        words[i] = "";
      }
    } else if (open.length > 0) {
      if (words[i] === "..") open.at(-1).joins = true;
      else if (/^(and|or|not|function|[~=<>]=|[<>,])$/.test(words[i])) open.at(-1).other = true;
    }
  }
  return words.join("");
}

const commands = readCommands();
const indent = (text) => text.replace(/^(?=.)/gm, "  ");

/** The modules that an entry needs: all but the table of commands, which would load every one. */
function needed(unwanted) {
  return modules.filter(({ name }) => name !== "core.commands.index" && !unwanted.includes(name));
}

/**
 * Modules per group. A script is run from the top at every call, and what that costs is making
 * functions, above all of those that use many variables of the chunk. So the chunk makes a function
 * per group, and the groups that a call needs make those of their modules. Lua lets a function use 60
 * variables from outside, so a group ends sooner when its modules use too many.
 */
const GROUP = 20;
const OUTSIDE = 58;

/** The modules in groups, in their order. */
function groupsOf(all) {
  const groups = [];
  let outside = new Set();
  for (const module of all) {
    const used = outsideOf(module);
    const both = new Set([...outside, ...used]);
    if (groups.at(-1)?.length < GROUP && both.size <= OUTSIDE) {
      groups.at(-1).push(module);
      outside = both;
    } else {
      groups.push([module]);
      outside = used;
    }
  }
  return groups;
}

/** What a module uses of the chunk: what chunkNames names, and what the prelude begins with. */
function outsideOf(module) {
  const owners = [...LIBRARIES, "keys", ...PORTS];
  const words = module.code.match(/\b[A-Za-z]+\b/g) ?? [];
  const names = namesOf([module], owners).map(({ name }) => name);
  return new Set([...BEGINNING.filter((name) => words.includes(name)), ...names]);
}

const LIBRARIES = ["redis", "cjson", "string", "math", "table"];
const BEGINNING = [
  ...LIBRARIES,
  ...["cmsgpack", "type", "tostring", "tonumber", "unpack", "pcall", "error", "ipairs", "pairs"],
  ...["select", "modules", "require", "STORE", "TEXT"],
];

/** Lua that defines `require` for the modules, and `command`, which loads a command by its name. */
function prelude(unwanted, entry = "redis.lua.entry", isScript = true) {
  const all = isScript ? needed(unwanted).map(withTables) : needed(unwanted);
  const inGroups = groupsOf(all);
  const groupOf = new Map(inGroups.flatMap((group, i) => group.map(({ name }) => [name, i + 1])));
  const grouped = (code) =>
    code.replace(/require\("([^"]+)"\)/g, (_, name) => `require("${name}", ${groupOf.get(name)})`);
  const groups = inGroups.map((group, i) => {
    const wrapped = group.map(({ name, code }) => {
      return `modules["${name}"] = function()\n${indent(grouped(code))}\nend`;
    });
    return `groups[${i + 1}] = function()\n${indent(wrapped.join("\n"))}\nend`;
  });
  const loaders = commands.map(({ name, module, exported }) =>
    grouped(`if name == "${name}" then return require("${module}").${exported} end`),
  );
  return [
    "local redis, cjson, cmsgpack, string, math, table = redis, cjson, cmsgpack, string, math, table",
    "local type, tostring, tonumber, unpack, pcall, error, ipairs, pairs, select =",
    "  type, tostring, tonumber, unpack, pcall, error, ipairs, pairs, select",
    "local groups, modules, loaded = {}, {}, {}",
    ...chunkNames(all),
    "local function require(name, group)",
    "  local module = loaded[name]",
    "  if module == nil then",
    "    if modules[name] == nil then groups[group]() end",
    "    module = modules[name]()",
    "    loaded[name] = module",
    "  end",
    "  return module",
    "end",
    ...groups,
    "local function command(name)",
    ...loaders.map(indent),
    "end",
    ...PORTS.flatMap((port) => [
      grouped(`${port.toUpperCase()} = require("redis.lua.${port}").${port}`),
      ...namesOf(all, [port]).map(
        ({ name, member }) => `${name} = ${port.toUpperCase()}.${member}`,
      ),
    ]),
    grouped(`local entry = require("${entry}")`),
  ].join("\n");
}

/**
 * In a script, which makes its variables anew at every call, the ports are two tables after all: as
 * many variables as they have methods would cost more than looking the methods up.
 */
function withTables({ name, code }) {
  const tabled = code.replace(/(?<![\w.])(store|text)_([A-Za-z]+)\b/g, (_, port, member) => {
    return `${port.toUpperCase()}.${member}`;
  });
  return { name, code: tabled };
}

/** What lua-plugin.cjs calls by names of the chunk, `<owner>_<member>`, with owner and member apart. */
function namesOf(all, owners) {
  const pattern = new RegExp(`(?<![\\w.])(${owners.join("|")})_([A-Za-z_]+)\\b`, "g");
  const found = all.flatMap(({ code }) => [...code.matchAll(pattern)]);
  const names = new Map(found.map(([name, owner, member]) => [name, { name, owner, member }]));
  return [...names.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const PORTS = ["store", "text"];

/** The variables of the chunk: members of libraries, prefixes of keys, and methods of the ports. */
function chunkNames(all) {
  const libraries = namesOf(all, LIBRARIES);
  const named = (owners) => namesOf(all, owners).map(({ name }) => name);
  return [
    ...libraries.map(({ name, owner, member }) => `local ${name} = ${owner}.${member}`),
    `local ${named(["keys"]).join(", ")}`,
    `local ${["STORE", "TEXT", ...named(PORTS)].join(", ")}`,
  ];
}

const LEGACY = ["redis.lua.legacy"];
const heading = (what) => `-- qless ${version}: ${what}. Built from TypeScript; do not edit.\n`;

function functionLibrary() {
  const registered = commands.map(({ name, writes, frees }) => {
    const flags = writes ? (frees ? '{ "allow-oom" }' : "{}") : '{ "no-writes" }';
    return [
      "redis.register_function({",
      `  function_name = "qless_${name.replaceAll(".", "_")}",`,
      "  callback = function(keys, args)",
      `    local wanted = found["${name}"] or find("${name}")`,
      "    return answer(wanted, keys, args)",
      "  end,",
      `  flags = ${flags},`,
      "})",
    ].join("\n");
  });
  const body = [
    "-- While a library loads there is no standard library, so the core starts with the first call.",
    "local answer, command",
    "local function start()",
    indent(prelude(LEGACY, "redis.lua.entry", false)),
    "  return entry.answer, command",
    "end",
    "",
    "local found = {}",
    "local function find(name)",
    "  if answer == nil then answer, command = start() end",
    "  found[name] = command(name)",
    "  return found[name]",
    "end",
    "",
    ...registered,
  ].join("\n");
  const hash = createHash("sha1").update(body).digest("hex");
  const told = [
    "redis.register_function({",
    '  function_name = "qless_version",',
    `  callback = function() return "${version} ${hash}" end,`,
    '  flags = { "no-writes" },',
    "})",
  ].join("\n");
  const text = `#!lua name=qless\n${heading("the function library")}${body}\n${told}\n`;
  return { text, hash };
}

function script() {
  return `${heading("the script for EVALSHA, where functions are not permitted")}${prelude(LEGACY)}
local wanted = command(ARGV[1])
if KEYS[1] == nil or ARGV[2] == nil then
  return redis.error_reply("BAD_ARGUMENT The namespace is the one key, then come command and time")
end
if wanted == nil then
  return redis.error_reply("UNKNOWN_COMMAND There is no such command")
end
table.remove(ARGV, 1)
return entry.answer(wanted, KEYS, ARGV)
`;
}

function legacy() {
  return `${heading("a drop-in for the unified script of qless-core")}${prelude([], "redis.lua.legacy")}
return entry.main(command, KEYS, ARGV)
`;
}

function composable() {
  return `${heading("the core for scripts of your own, see docs/protocol.md")}local qless = (function()
${indent(prelude(LEGACY))}
  local call = entry.call
  -- The commands of a namespace as functions: the time ("" for the server's clock), then arguments.
  return function(namespace)
    if type(namespace) ~= "string" then
      error({ err = "BAD_ARGUMENT qless() needs the namespace as a text, such as qless(KEYS[1]): got " .. type(namespace) }, 0)
    end
    local functions = {}
    for name in string.gmatch("${commands.map(({ name }) => name).join(" ")}", "%S+") do
      functions[name] = function(...)
        local words = { ... }
        local wanted = command(name)
        for i = 1, select("#", ...) do
          local kind = type(words[i])
          if kind ~= "string" and kind ~= "number" then
            local param = wanted.takes[i - 1]
            local known = i == 1 and '"now"' or param and '"' .. param[1] .. '"' or "number " .. i - 1
            local reason = " of " .. name .. " must be a text or a number, not " .. kind
            error({ err = "BAD_ARGUMENT Arg " .. known .. reason }, 0)
          end
          words[i] = tostring(words[i])
        end
        return call(wanted, namespace, words)
      end
      functions[(string.gsub(name, "%.", "_"))] = functions[name]
    end
    return functions
  end
end)()
`;
}

const library = functionLibrary();
writeFileSync(join(dist, "qless.functions.lua"), library.text);
writeFileSync(join(dist, "qless.script.lua"), script());
writeFileSync(join(dist, "qless.lua"), legacy());
writeFileSync(join(dist, "qless-lib.lua"), composable());
const kindOf = ({ writes, frees }) => (writes ? (frees ? "freeing" : "writing") : "reading");
const kinds = Object.fromEntries(commands.map((command) => [command.name, kindOf(command)]));
const manifest = { version, hash: library.hash, kinds };
writeFileSync(join(dist, "manifest.json"), `${JSON.stringify(manifest)}\n`);
if (library.text.includes("__TS__")) {
  console.error("The core uses something that TypeScriptToLua needs a runtime for:");
  for (const { name, code } of modules) {
    for (const [helper] of code.matchAll(/__TS__\w+/g)) console.error(`  ${name}: ${helper}`);
  }
  process.exit(1);
}
