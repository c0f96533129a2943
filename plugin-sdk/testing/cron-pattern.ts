/** What each of the five fields may hold: minute, hour, day, month, day of the week with Sunday at both ends. */
const bounds = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

/** Whether the service's clock takes it: numbers, ranges `a-b`, `*` and `*` with a step, parted by commas. */
export function isCronPattern(match: unknown): boolean {
  if (typeof match !== 'string') return false;
  const fields = match.split(/\s+/);
  return (
    fields.length === bounds.length && fields.every((field, index) => field.split(',').every(within(bounds[index]!)))
  );
}

const within =
  ([min, max]: readonly [number, number]) =>
  (part: string): boolean => {
    const step = /^\*(?:\/(\d+))?$/.exec(part);
    if (step) return step[1] === undefined || Number(step[1]) >= 1;
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (from === undefined || Number(from) < min || Number(to ?? from) > max) return false;
    return to === undefined || Number(to) > Number(from);
  };
