/** Modules of the engine whose arguments are expressions without any braces, by the last part of their names, and those arguments. */
const evaluated: Record<string, readonly string[]> = {
  // the engine's own `debug` of several expressions is called so, too
  debug: ['var', 'expression'],
  assert: ['that'],
};
const plain = ['msg', 'fail_msg', 'success_msg', 'quiet', 'verbosity'];

/** Where a value stands: `hostvars['web'].ansible_facts.os[0]`. No calls, filters, tests or operators. */
const path = String.raw`[A-Za-z_]\w*(?:\.\w+|\[(?:\d+|'[\w.-]+'|"[\w.-]+")\])*`;
const literal = String.raw`(?:"[^"\\]*"|'[^'\\]*'|[^\s"'\\]*)`;

const shapes = new Map(
  Object.entries(evaluated).map(([module, names]) => {
    const argument = String.raw`(?:(?:${names.join('|')})=(?:"${path}"|'${path}'|${path})|(?:${plain.join('|')})=${literal})`;
    return [module, new RegExp(String.raw`^[ \n]*(?:${argument}(?:[ \n]+${argument})*)?[ \n]*$`)];
  }),
);

/**
 * What is wrong with arguments that the engine takes for expressions as they stand: those run on the node, and `lookup('pipe', …)` is
 * one of them. Only plain forms are let through: the engine reads arguments in more ways (JSON, escapes, `args=`) than are worth telling apart.
 */
export function evaluatedProblem(module: string, text: string): string | undefined {
  const name = module.split('.').at(-1)!;
  const shape = shapes.get(name);
  if (!shape || shape.test(text)) return undefined;
  return `The module ${name} evaluates what it is given: ${evaluated[name]![0]} may be the plain path of a variable (hostvars['web'].ansible_host), ${plain.join(', ')} plain or quoted text without backslashes, and nothing else is possible.`;
}
