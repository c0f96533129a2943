type Variables = Record<string, unknown>;

export interface ExtraVars {
  /** everything the run was launched with, merged */
  merged: Variables;
  /** the template's own: an unchanged value may hold expressions */
  template: Variables;
  injected: Variables;
  allowJinja: 'always' | 'never' | 'template';
}

/**
 * The file behind `-e @file`: JSON but for `!unsafe` before the texts that must stay text, which makes it
 * YAML. Whoever launches a job may not run expressions with it (ALLOW_JINJA_IN_EXTRA_VARS).
 */
export function extraVarsFile({ merged, template, injected, allowJinja }: ExtraVars): string {
  const trusted = (name: string, value: unknown) =>
    allowJinja === 'always' ||
    (allowJinja === 'template' &&
      Object.hasOwn(template, name) &&
      JSON.stringify(template[name]) === JSON.stringify(value));
  const lines = [
    ...Object.entries(merged)
      .filter(([name]) => !Object.hasOwn(injected, name))
      .map(([name, value]) => entry(name, value, !trusted(name, value))),
    ...Object.entries(injected).map(([name, value]) => entry(name, value, true)),
  ];
  return `{\n${lines.join(',\n')}\n}\n`;
}

const entry = (name: string, value: unknown, inert: boolean) => `? ${quote(name)}\n: ${render(value, inert)}`;

function render(value: unknown, inert: boolean): string {
  if (typeof value === 'string') return `${inert ? '!unsafe ' : ''}${quote(value)}`;
  if (Array.isArray(value)) return `[${value.map((item) => render(item, inert)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, item]) => `? ${quote(name)} : ${render(item, inert)}`)
      .join(', ')}}`;
  }
  return typeof value === 'number' ? number(value) : (JSON.stringify(value) ?? 'null');
}

/** YAML 1.1 takes `1e21` for a text: its exponent needs a point and a sign. */
function number(value: number): string {
  const text = JSON.stringify(value);
  return text.includes('e') ? text.replace(/^(-?\d+)e/, '$1.0e').replace(/e(\d)/, 'e+$1') : text;
}

/**
 * JSON's escapes are YAML's, but for halves of surrogate pairs; some characters that JSON leaves alone are
 * line breaks or forbidden in YAML.
 */
const quote = (text: string) =>
  JSON.stringify(text.toWellFormed()).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
