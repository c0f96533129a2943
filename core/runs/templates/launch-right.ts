import type { Rule } from '@tapline/plugin-sdk';
import type { RunKinds } from '../kinds.ts';

/** Who may launch templates of a kind; none: nobody may by hand. */
export function launchRule(kinds: RunKinds, template: string): Rule | undefined {
  const { rights = {}, actions = {} } = kinds.templateResource(template) ?? {};
  return (
    rights['execute'] ??
    rights['update'] ??
    rights['start'] ??
    actions['launch']?.access.POST ??
    actions['update']?.access.POST
  );
}
