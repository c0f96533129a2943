import { sameValue } from '../../yaml/variables.ts';
import type { Prompt, PromptedTemplate, PromptValues } from './prompt.ts';

export interface Sorted {
  accepted: PromptValues;
  /** what the template does not ask for; answered to the caller, never an error */
  ignored: Record<string, unknown>;
}

/** Each given prompt changes nothing, is accepted or is ignored (contract/jobs.md §4.3). */
export function sortPrompts(
  prompts: readonly Prompt[],
  given: Readonly<PromptValues>,
  template: PromptedTemplate,
): Sorted {
  const sorted: Sorted = { accepted: {}, ignored: {} };
  for (const prompt of prompts) {
    if (!Object.hasOwn(given, prompt.name)) continue;
    const change = changeOf(prompt, given[prompt.name], template);
    if (!change) continue;
    if (template[prompt.flag]) sorted.accepted[prompt.name] = change.accepted;
    else if (change.ignored !== undefined) sorted.ignored[prompt.name] = change.ignored;
  }
  return sorted;
}

function changeOf({ name, column = name, own, change }: Prompt, value: unknown, template: PromptedTemplate) {
  if (change) return change(value, template);
  const ownValue = own ? own(template) : (template[column] ?? null);
  return sameValue(ownValue, value) ? undefined : { accepted: value, ignored: value };
}
