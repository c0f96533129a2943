/** Messages for what was given and is not asked for, by prompt: as `ignored` of a plan tells it. */
export const notAsked = (ignored: Readonly<Record<string, unknown>> = {}): Record<string, string[]> =>
  Object.fromEntries(Object.entries(ignored).map(([name, value]) => [name, [messageFor(name, value)]]));

const mostNames = 20;

function messageFor(name: string, value: unknown): string {
  if (name !== 'extra_vars') return 'Field is not configured to prompt on launch.';
  const names = Object.keys(value as object).slice(0, mostNames);
  return `Variables ${names.join(', ')} are not allowed on launch: the template neither asks for variables nor has questions for them.`;
}
