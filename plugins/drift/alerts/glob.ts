interface Part {
  matches(character: string): boolean;
}

/** Whether a shell-style pattern (`*`, `?`, `[a-z]`, `[!a-z]`) matches a whole name. */
export const matchesGlob = (pattern: string, name: string): boolean => globOf(pattern)(name);

/** The same for many names: the pattern is read once. */
export function globOf(pattern: string): (name: string) => boolean {
  const parts = partsOf(pattern);
  return (name) => matches(parts, name);
}

/** It never goes back further than to its last `*`, so that no pattern can be slow: at most pattern × name steps. */
function matches(parts: readonly (Part | 'any')[], name: string): boolean {
  const characters = Array.from(name);
  let [at, part] = [0, 0];
  let [starAt, starPart] = [0, -1];
  while (at < characters.length) {
    const now = parts[part];
    if (now === 'any') {
      [starAt, starPart] = [at, part];
      part += 1;
    } else if (now?.matches(characters[at]!)) {
      at += 1;
      part += 1;
    } else if (starPart >= 0) {
      starAt += 1;
      [at, part] = [starAt, starPart + 1];
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === 'any');
}

function partsOf(pattern: string): (Part | 'any')[] {
  const characters = Array.from(pattern);
  const parts: (Part | 'any')[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    const end = character === '[' ? endOfSet(characters, at) : -1;
    if (character === '*') {
      if (parts.at(-1) !== 'any') parts.push('any');
    } else if (character === '?') parts.push({ matches: () => true });
    else if (end > 0) {
      parts.push(setOf(characters.slice(at + 1, end)));
      at = end;
    } else parts.push({ matches: (other) => other === character });
  }
  return parts;
}

/** A `]` right at the beginning belongs to the set; a `[` without end stands for itself. */
function endOfSet(characters: readonly string[], start: number): number {
  const first = start + (characters[start + 1] === '!' ? 2 : 1);
  return characters.indexOf(']', first + 1);
}

function setOf(content: readonly string[]): Part {
  const negated = content[0] === '!';
  const members = negated ? content.slice(1) : content;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    ranges.push([members[at]!, members[isRange ? at + 2 : at]!]);
    if (isRange) at += 2;
  }
  const within = (character: string) => ranges.some(([from, to]) => from <= character && character <= to);
  return { matches: (character) => within(character) !== negated };
}
