import { endOfString } from "./scan.ts";

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Begins the string that stands for a number. */
const MARK = "\\u0000number ";

/**
 * The JSON text with a string in place of every number that JavaScript would read as another one:
 * large integers, long fractions, and numbers beyond its range.
 */
export function withExactNumbers(text: string): string {
  let out = "";
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = endOfString(text, at);
      continue;
    }
    if (code !== 45 && !(code >= 48 && code <= 57)) {
      at += 1;
      continue;
    }
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(text)![0];
    if (!isExact(number)) {
      out += `${text.slice(from, at)}"${MARK}${number}"`;
      from = at + number.length;
    }
    at += number.length;
  }
  return out + text.slice(from);
}

/** Up to 15 digits without an exponent are always exact. */
const EXACT = /^-?[\d.]{1,15}$/;

/** Whether JavaScript keeps the number: what it writes for it has the same value. */
const isExact = (number: string) =>
  EXACT.test(number) || decimalOf(number) === decimalOf(String(Number(number)));

/** A number as its significant digits and their power of ten; what is not finite is itself. */
function decimalOf(number: string): string {
  const [, sign, whole, fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (whole === undefined) return number;
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  if (end === 0) return "0";
  const exponent = Number(power) - fraction.length + digits.length - end;
  return `${sign}${digits.slice(0, end)} ${exponent}`;
}
