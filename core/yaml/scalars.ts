/** A scalar as JSON holds it, and as the name of a value. */
export interface ScalarValue {
  json: string;
  name: string;
  /** the same for what Python takes for one name: 1, 1.0 and true */
  id: string;
}

/** A tag that YAML itself defines. */
export const standard = (name: string): string => `tag:yaml.org,2002:${name}`;

/** Python reads and writes no whole numbers that are longer. */
export const maxDigits = 4300;

/** YAML 1.1 as PyYAML reads it: `y` and `1e5` are texts, `0777` is octal, `1:30` are ninety. */
const bool = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const float =
  /^(?:[-+]?\d[\d_]*\.[\d_]*(?:[eE][-+]\d+)?|\.\d[\d_]*(?:[eE][-+]\d+)?|[-+]?\d[\d_]*(?::[0-5]?\d)+\.[\d_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const int = /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][\d_]*|0x[\da-fA-F_]+|[1-9][\d_]*(?::[0-5]?\d)+)$/;
const timestamp =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/;

/** By tag: which plain texts have it without saying so, and how it is read. The first that fits counts. */
const kinds = new Map<string, [plain: RegExp, read: (text: string) => ScalarValue]>([
  [standard('bool'), [bool, readBoolean]],
  [standard('float'), [float, readFloat]],
  [standard('int'), [int, readInteger]],
  [standard('merge'), [/^<<$/, noValue]],
  [standard('null'), [/^(?:~|null|Null|NULL|)$/, () => valueOf('null', 'null')]],
  [standard('timestamp'), [timestamp, readDate]],
  [standard('value'), [/^=$/, noValue]],
  [standard('yaml'), [/^[!&*]$/, noValue]],
  [standard('str'), [/^/, textOf]],
]);

/** The tag of a plain scalar that has none. To Python, what fits may have a line break behind it. */
export function plainTag(text: string): string {
  const line = text.replace(/(?<=.)\n$/, '');
  for (const [tag, [plain]] of kinds) if (plain.test(line)) return tag;
  return standard('str');
}

/** Whether a plain scalar would be the text that it is. */
export const isText = (text: string): boolean => plainTag(text) === standard('str');

/** @throws SyntaxError where the text does not suit the tag; undefined for a tag that is none of scalars */
export const readScalar = (tag: string, text: string): ScalarValue | undefined => kinds.get(tag)?.[1](text);

function valueOf(json: string, id: string): ScalarValue {
  return { json, name: `"${json}"`, id };
}

function textOf(text: string): ScalarValue {
  if (!text.isWellFormed()) throw new SyntaxError('half of a surrogate pair');
  const json = JSON.stringify(text);
  return { json, name: json, id: `text ${text}` };
}

function noValue(text: string): never {
  throw new SyntaxError(`"${text}" cannot be a value`);
}

function readBoolean(text: string): ScalarValue {
  if (/^(?:yes|true|on)$/i.test(text)) return valueOf('true', 'number 1');
  if (/^(?:no|false|off)$/i.test(text)) return valueOf('false', 'number 0');
  throw new SyntaxError('not a boolean');
}

/** Sign and digits, without the underscores that are for the eye only. */
const parts = (text: string) => /^([-+]?)(.*)$/s.exec(text.replace(/_|\n$/g, ''))!.slice(1) as [string, string];

function readInteger(text: string): ScalarValue {
  const [sign, digits] = parts(text);
  const json = String(magnitude(digits) * (sign === '-' ? -1n : 1n));
  return valueOf(json, `number ${json}`);
}

function magnitude(digits: string): bigint {
  if (digits.length > maxDigits) throw new SyntaxError(`a number of more than ${maxDigits} digits`);
  if (/^(?:0b[01]+|0x[\da-fA-F]+|0|[1-9]\d*)$/.test(digits)) return BigInt(digits);
  const [, octal] = /^0o?([0-7]+)$/.exec(digits) ?? [];
  if (octal) return BigInt(`0o${octal}`);
  if (!/^[1-9]\d*(?::\d+)+$/.test(digits)) throw new SyntaxError('not a whole number');
  return digits.split(':').reduce((sum, place) => sum * 60n + BigInt(place), 0n);
}

function readFloat(text: string): ScalarValue {
  const [sign, digits] = parts(text.toLowerCase());
  if (!/^(?:\.inf|\.nan|(?:\d+(?::\d+)*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)$/.test(digits))
    throw new SyntaxError('not a number');
  // from the last place on, which decides how it is rounded
  const places = digits.split(':').toReversed();
  const size = places.reduce((sum, place, index) => sum + Number(place) * 60 ** index, 0);
  if (!Number.isFinite(size)) throw new SyntaxError('infinite numbers and NaN cannot be passed on');
  const shortest = `${sign.replace('+', '')}${size}${/[.e]/.test(String(size)) ? '' : '.0'}`;
  const id = `number ${Number.isInteger(size) ? BigInt(shortest.startsWith('-') ? -size : size) : shortest}`;
  // digits stay as they were written, but for names, which Python writes anew
  const isJson = /^-?(?:0|[1-9]\d*)\.\d+(?:[eE][-+]?\d+)?$/.test(text);
  return { ...valueOf(shortest, id), ...(isJson && { json: text }) };
}

/** A date stays the text that it is: JSON has none. */
function readDate(text: string): ScalarValue {
  const [year, month, day, hour = 0, minute = 0, second = 0] = text.split(/[-Tt: \t+.Z]+/, 6).map(Number);
  const days = new Date(Date.UTC(2000 + (year! % 400), month!, 0)).getUTCDate();
  const calendar = year! > 0 && month! > 0 && month! <= 12 && day! > 0 && day! <= days;
  const farAway = /:\S{0,50}\s{0,50}[-+](?:2[4-9]|[3-9]\d|23:[6-9])/.test(text);
  if (!calendar || hour > 23 || minute > 59 || second > 59 || farAway || !/^\d{4}-\d\d?-\d\d?($|[Tt \t])/.test(text))
    throw new SyntaxError('no such date');
  return textOf(text);
}
