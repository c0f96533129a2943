/** What is read of a module's text before any engine has seen it. */

const name = '[A-Za-z_][A-Za-z0-9_]*';
const declaration = new RegExp(`^package\\s+(${name}(?:\\.${name}|\\["[A-Za-z0-9_-]+"\\])*)`);
const segment = /^[A-Za-z0-9_-]+$/;

/** Builtins that reach out of the engine, or tell of its environment. */
const refused = ['http.send', 'net.lookup_ip_addr', 'opa.runtime'];

export const outwardProblem = (calls: readonly string[]): string =>
  `A policy must not reach out of the engine: ${calls.join(', ')}.`;

const comment = /^#[^\n]*/;
const texts = [/^"(?:[^"\\\n]|\\.)*"/, /^`[^`]*`/];

/** Without comments; texts stay, since templates and references by text hold code. */
export function withoutComments(module: string): string {
  const kept: string[] = [];
  for (let at = 0; at < module.length;) {
    const rest = module.slice(at, at + 65_536);
    const skipped = comment.exec(rest)?.[0];
    const text = skipped === undefined ? (texts.map((form) => form.exec(rest)?.[0]).find(Boolean) ?? rest[0]!) : '';
    kept.push(text);
    at += (skipped ?? text).length;
  }
  return kept.join('');
}

/** `['tapline', 'launch']`; undefined where it does not begin with a package. */
export function packageOf(module: string): string[] | undefined {
  const found = declaration.exec(withoutComments(module).trimStart())?.[1];
  return found?.replaceAll(/\["([^"]+)"\]/g, '.$1').split('.');
}

/** `["send"]`, also with its letters as escapes. */
const step = /\[\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`)\s*\]/g;

function textOf(literal: string): string {
  if (literal.startsWith('`')) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

/** Of `refused`, those that the module uses, however it writes their names. */
export function outwardCalls(module: string): string[] {
  const dotted = withoutComments(module).replaceAll(step, (_, literal: string) => `.${textOf(literal)}`);
  const code = dotted
    .split('.')
    .map((part) => part.trim())
    .join('.');
  return refused.filter((call) => code.includes(call));
}

/** The same in a module as the engine has parsed it: whatever its text looks like, a call names its parts here. */
export function outwardRefs(parsed: unknown): string[] {
  const found = new Set<string>();
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, value } = node as { type?: unknown; value?: unknown };
    if (type === 'ref' && Array.isArray(value)) {
      const path = value.map((part: { value?: unknown } | null) => String(part?.value));
      for (const call of refused) if (`${path.join('.')}.`.startsWith(`${call}.`)) found.add(call);
    }
    for (const part of Object.values(node)) look(part);
  };
  look(parsed);
  return [...found];
}

/** `tapline.launch`, `data.tapline.launch` and `/tapline/launch` mean the same; undefined: it is no path. */
export function readPath(path: string): string[] | undefined {
  const plain = path
    .trim()
    .replace(/^data[./]/, '')
    .replaceAll(/^\/|\/$/g, '');
  const parts = plain.split(plain.includes('/') ? '/' : '.');
  return parts.every((part) => segment.test(part)) ? parts : undefined;
}

/** The module in another package, so that a draft can be tried beside what is in force. */
export function inPackage(module: string, other: string): string {
  const code = withoutComments(module);
  return code.replace(/^\s*/, '').replace(declaration, `package ${other}`);
}
