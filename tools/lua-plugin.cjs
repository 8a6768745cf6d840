/**
 * Spares the compiled core what JavaScript engines spare it by themselves. Lua looks a method up
 * by name at every call and inlines nothing, so the core's ports and its smallest functions would
 * cost as much as the work itself:
 *
 * - a method of a port, `store.text.integer(x)`, becomes the function `text_integer(x)`, for in
 *   Lua there is one store and one text; build-lua.mjs declares these and says what they are;
 * - a list of fields or members that is known here goes to Redis as it is, without a table;
 * - a function that is one expression is written where it is called, if its arguments may be;
 * - a loop that counts up to what does not change is one that Lua counts by itself.
 */
const ts = require("typescript");
const lua = require("typescript-to-lua");
const { transformLoopBody } = require("typescript-to-lua/dist/transformation/visitors/loops/utils");

/** Ports and libraries whose members are functions of the chunk, by the name of their type. */
const PORTS = { Store: "store", Text: "text" };
const LIBRARIES = ["redis", "cjson", "string", "math", "table"];

/** The name of the chunk's function that a called member is; undefined for any other. */
function functionOfChunk(callee, checker) {
  if (!ts.isPropertyAccessExpression(callee)) return undefined;
  const { expression: owner, name } = callee;
  if (ts.isIdentifier(owner) && LIBRARIES.includes(owner.text)) {
    const declared = checker.getSymbolAtLocation(owner)?.declarations?.[0];
    if (declared?.getSourceFile().isDeclarationFile) return `${owner.text}_${name.text}`;
  }
  if (owner.getText() === "Math") return `math_${name.text}`;
  const port = PORTS[checker.getTypeAtLocation(owner).symbol?.name];
  return port === undefined || name.text === "text" ? undefined : `${port}_${name.text}`;
}

/** The commands of Redis behind those methods of the store that take a list. */
const LISTED = {
  store_fields: "HMGET",
  store_fieldsIfSound: "HMGET",
  store_set: "HSET",
  store_unset: "HDEL",
  store_rank: "ZADD",
  store_unrank: "ZREM",
};

/**
 * The members of a list that is written here, or is a constant of texts; undefined for any other.
 */
function listedMembers(node, checker) {
  let list = node;
  if (ts.isIdentifier(node)) {
    let symbol = checker.getSymbolAtLocation(node);
    if (symbol?.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    const declared = symbol?.valueDeclaration;
    const isConstant =
      declared !== undefined &&
      ts.isVariableDeclaration(declared) &&
      ts.isSourceFile(declared.parent.parent.parent) &&
      (declared.parent.flags & ts.NodeFlags.Const) !== 0;
    if (!isConstant || declared.initializer === undefined) return undefined;
    list = declared.initializer;
    if (!ts.isArrayLiteralExpression(list) || !list.elements.every(ts.isStringLiteral)) {
      return undefined;
    }
  }
  if (!ts.isArrayLiteralExpression(list) || list.elements.length === 0) return undefined;
  return list.elements.some(ts.isSpreadElement) ? undefined : list.elements;
}

/** The function that a call calls, if it is an arrow function that is one expression. */
function arrowOf(callee, checker, members) {
  const named = functionOfChunk(callee, checker);
  if (named !== undefined) return members.get(named);
  if (!ts.isIdentifier(callee)) return undefined;
  let symbol = checker.getSymbolAtLocation(callee);
  if (symbol === undefined) return undefined;
  if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const declared = symbol.valueDeclaration;
  if (declared === undefined || !ts.isVariableDeclaration(declared)) return undefined;
  return asArrow(declared.initializer);
}

const asArrow = (node) =>
  node !== undefined && ts.isArrowFunction(node) && !ts.isBlock(node.body) ? node : undefined;

/** The arrow functions among the members of the Lua store and text, by their names in the chunk. */
function membersOf(program) {
  const members = new Map();
  for (const [port, file] of [
    ["store", "redis/lua/store.ts"],
    ["text", "redis/lua/text.ts"],
  ]) {
    const source = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(file));
    for (const statement of source.statements.filter(ts.isVariableStatement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (name.text !== port || !ts.isObjectLiteralExpression(initializer)) continue;
        for (const member of initializer.properties.filter(ts.isPropertyAssignment)) {
          const arrow = asArrow(member.initializer);
          if (arrow !== undefined) members.set(`${port}_${member.name.text}`, arrow);
        }
      }
    }
  }
  return members;
}

/** How often each parameter is used; undefined when the function needs more than its parameters. */
function usesOf(arrow, checker) {
  const uses = new Map();
  for (const { name, initializer, dotDotDotToken } of arrow.parameters) {
    if (!ts.isIdentifier(name) || initializer !== undefined || dotDotDotToken) return undefined;
    uses.set(name.text, 0);
  }
  let needsMore = false;
  const visit = (node) => {
    if (ts.isFunctionLike(node) || ts.isObjectLiteralExpression(node)) needsMore = true;
    if (ts.isTypeNode(node)) return;
    if (ts.isPropertyAccessExpression(node)) return visit(node.expression);
    if (ts.isIdentifier(node)) {
      if (uses.has(node.text)) uses.set(node.text, uses.get(node.text) + 1);
      else if (!isOfChunk(node, checker) && numberOf(node, checker) === undefined) needsMore = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(arrow.body);
  return needsMore ? undefined : uses;
}

/** Whether the name means the same everywhere: a global of Lua, or a prefix of keys. */
function isOfChunk(node, checker) {
  const declared = checker.getSymbolAtLocation(node)?.declarations?.[0];
  if (declared === undefined) return false;
  return declared.getSourceFile().isDeclarationFile || isPrefix(declared);
}

/**
 * The namespace's prefixes are variables of the chunk, so that a key is one join away everywhere.
 */
const isPrefix = (declared) =>
  ts.isVariableDeclaration(declared) &&
  declared.getSourceFile().fileName.endsWith("core/keys.ts") &&
  (declared.parent.flags & ts.NodeFlags.Let) !== 0;

const isPlain = (node) =>
  ts.isIdentifier(node) ||
  ts.isStringLiteralLike(node) ||
  ts.isNumericLiteral(node) ||
  (ts.isNonNullExpression(node) && isPlain(node.expression)) ||
  (ts.isAsExpression(node) && isPlain(node.expression));

/** Whether something in the expression may be left out when it is evaluated. */
function mayBranch(node) {
  if (ts.isConditionalExpression(node)) return true;
  if (ts.isBinaryExpression(node) && BRANCHES.includes(node.operatorToken.kind)) return true;
  return ts.forEachChild(node, mayBranch) ?? false;
}

const BRANCHES = [
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
];

/**
 * Whether the arguments may stand where the parameters stood: each is evaluated once, as before.
 */
function mayInline(call, arrow, uses) {
  if (call.arguments.length !== arrow.parameters.length) return false;
  if (call.arguments.some(ts.isSpreadElement)) return false;
  const busy = call.arguments.filter((argument) => !isPlain(argument));
  if (busy.length > 1 || (busy.length === 1 && mayBranch(arrow.body))) return false;
  return call.arguments.every((argument, i) => {
    const used = uses.get(arrow.parameters[i].name.text);
    return isPlain(argument) || used === 1;
  });
}

/** Puts expressions in the place of identifiers, by name. */
function substitute(node, values) {
  if (Array.isArray(node)) return node.map((one) => substitute(one, values));
  if (node === null || typeof node !== "object" || node.kind === undefined) return node;
  if (node.kind === lua.SyntaxKind.Identifier && values.has(node.text))
    return values.get(node.text);
  const copy = Object.assign(Object.create(Object.getPrototypeOf(node)), node);
  for (const [key, value] of Object.entries(node)) {
    if (key !== "parent" && typeof value === "object") copy[key] = substitute(value, values);
  }
  return copy;
}

let ownMembers;

function callExpression(call, context) {
  const { checker } = context;
  ownMembers ??= membersOf(context.program);
  const arrow = arrowOf(call.expression, checker, ownMembers);
  const uses = arrow === undefined ? undefined : usesOf(arrow, checker);
  if (uses !== undefined && mayInline(call, arrow, uses)) {
    const body = context.transformExpression(arrow.body);
    const values = new Map();
    call.arguments.forEach((argument, i) => {
      // By its name in Lua, which is another one if Lua keeps the name for itself.
      const name = context.transformExpression(arrow.parameters[i].name).text;
      values.set(name, context.transformExpression(argument));
    });
    const written = substitute(body, values);
    const isOne = lua.isCallExpression(written) || lua.isIdentifier(written);
    return isOne ? written : lua.createParenthesizedExpression(written);
  }
  const named = functionOfChunk(call.expression, checker);
  if (named === undefined) return context.superTransformExpression(call);
  const members = LISTED[named] && listedMembers(call.arguments[1], checker);
  if (members !== undefined) {
    const words = [lua.createStringLiteral(LISTED[named])];
    for (const word of [call.arguments[0], ...members])
      words.push(context.transformExpression(word));
    const caller = named === "store_fieldsIfSound" ? "redis_pcall" : "redis_call";
    return lua.createCallExpression(lua.createIdentifier(caller), words, call);
  }
  const words = call.arguments.map((argument) => transformArgument(argument, context));
  return lua.createCallExpression(lua.createIdentifier(named), words, call);
}

/** Only the last argument may be spread, as in Lua. */
function transformArgument(argument, context) {
  if (!ts.isSpreadElement(argument)) return context.transformExpression(argument);
  const list = context.transformExpression(argument.expression);
  return lua.createCallExpression(lua.createIdentifier("unpack"), [list]);
}

/** The number that a constant of a module is. */
function numberOf(node, checker) {
  let symbol = checker.getSymbolAtLocation(node);
  if (symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias) {
    symbol = checker.getAliasedSymbol(symbol);
  }
  const declared = symbol?.valueDeclaration;
  if (declared === undefined || !ts.isVariableDeclaration(declared)) return undefined;
  const { initializer, parent } = declared;
  const isConstant =
    (parent.flags & ts.NodeFlags.Const) !== 0 && ts.isSourceFile(parent.parent.parent);
  if (!isConstant || initializer === undefined || !ts.isNumericLiteral(initializer))
    return undefined;
  return Number(initializer.text);
}

/** `const { text } = store`: nobody asks for it any more. */
function isTextOfStore(statement, checker) {
  return statement.declarationList.declarations.every(({ name, initializer }) => {
    if (!ts.isObjectBindingPattern(name) || initializer === undefined) return false;
    const isText = name.elements.length === 1 && name.elements[0].name.getText() === "text";
    return isText && checker.getTypeAtLocation(initializer).symbol?.name === "Store";
  });
}

function variableStatement(statement, context) {
  if (isTextOfStore(statement, context.checker)) return [];
  return context.superTransformStatements(statement);
}

/** A prefix of keys, wherever it is read; a constant number as that number. */
function identifier(node, context) {
  const number = numberOf(node, context.checker);
  if (number !== undefined) return lua.createNumericLiteral(number);
  const declared = context.checker.getSymbolAtLocation(node)?.declarations?.[0];
  if (declared !== undefined && isPrefix(declared))
    return lua.createIdentifier(`keys_${node.text}`);
  return context.superTransformExpression(node);
}

/** Whether it is the same throughout a loop: a number, or a constant. */
function isSteady(node, checker) {
  if (ts.isNumericLiteral(node)) return true;
  if (!ts.isIdentifier(node)) return false;
  const declared = checker.getSymbolAtLocation(node)?.valueDeclaration;
  return (
    declared !== undefined &&
    ts.isVariableDeclaration(declared) &&
    (declared.parent.flags & ts.NodeFlags.Const) !== 0
  );
}

/** By how much `i++` or `i += STEP` counts; undefined for anything else. */
function stepOf(node, name, checker) {
  if (node === undefined) return undefined;
  const isOfName = (one) => ts.isIdentifier(one) && one.text === name;
  if (ts.isPostfixUnaryExpression(node)) {
    const counts = node.operator === ts.SyntaxKind.PlusPlusToken && isOfName(node.operand);
    return counts ? 1 : undefined;
  }
  if (!ts.isBinaryExpression(node) || !isOfName(node.left)) return undefined;
  if (node.operatorToken.kind !== ts.SyntaxKind.PlusEqualsToken) return undefined;
  return ts.isNumericLiteral(node.right) ? Number(node.right.text) : numberOf(node.right, checker);
}

/** Whether anything in the node gives the name another value. */
function isChanged(node, name) {
  const isName = (one) => ts.isIdentifier(one) && one.text === name;
  if (ts.isBinaryExpression(node) && isName(node.left)) {
    const { kind } = node.operatorToken;
    if (kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment) return true;
  }
  const isUnary = ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node);
  if (isUnary && isName(node.operand)) return true;
  return ts.forEachChild(node, (child) => isChanged(child, name)) ?? false;
}

/** The parts of `for (let i = from; i < to; i += step)`, if nothing of it changes on the way. */
function countingOf({ initializer, condition, incrementor, statement }, checker) {
  if (initializer === undefined || !ts.isVariableDeclarationList(initializer)) return undefined;
  if (initializer.declarations.length !== 1) return undefined;
  const [{ name, initializer: from }] = initializer.declarations;
  if (!ts.isIdentifier(name) || from === undefined) return undefined;
  if (condition === undefined || !ts.isBinaryExpression(condition)) return undefined;
  const { left, right: to, operatorToken } = condition;
  if (operatorToken.kind !== ts.SyntaxKind.LessThanToken || left.getText() !== name.text)
    return undefined;
  const step = stepOf(incrementor, name.text, checker);
  if (step === undefined || !isSteady(to, checker) || isChanged(statement, name.text))
    return undefined;
  return { name, from, to, step };
}

function forStatement(statement, context) {
  const counting = countingOf(statement, context.checker);
  if (counting === undefined) return context.superTransformStatements(statement);
  const { name, from, to, step } = counting;
  const one = lua.createNumericLiteral(1);
  const last = lua.createBinaryExpression(
    context.transformExpression(to),
    one,
    lua.SyntaxKind.SubtractionOperator,
  );
  return lua.createForStatement(
    lua.createBlock(transformLoopBody(context, statement)),
    context.transformExpression(name),
    context.transformExpression(from),
    last,
    step === 1 ? undefined : lua.createNumericLiteral(step),
    statement,
  );
}

module.exports = {
  visitors: {
    [ts.SyntaxKind.CallExpression]: callExpression,
    [ts.SyntaxKind.ForStatement]: forStatement,
    [ts.SyntaxKind.Identifier]: identifier,
    [ts.SyntaxKind.VariableStatement]: variableStatement,
  },
};
