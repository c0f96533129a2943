import { t } from '../texts/t.ts';

/** A role that somebody has, or that would do, as `explain-access/` tells it. */
export interface ExplainedRole {
  id: number;
  name: string;
  resource_type: string | null;
  resource_name: string | null;
  team?: { name: string };
}

export interface Explanation {
  /** its name: `superuser`, or those of its parts */
  rule: string;
  granted: boolean;
  by?: ExplainedRole[];
  missing?: ExplainedRole[];
  parts?: Explanation[];
}

/** `Admin on organization Default, by the team Keepers` */
export function roleWords({ name, resource_type: type, resource_name: on, team }: ExplainedRole): string {
  const noun = type?.replaceAll('_', ' ') ?? '';
  const where =
    type === null ? t`${name} everywhere` : on === null ? t`${name} on a ${noun}` : t`${name} on ${noun} ${on}`;
  return team ? t`${where}, by the team ${team.name}` : where;
}

/** Why a right is granted: the roles that give it, or the rule that does without any. */
export function grantedBy(one: Explanation): string[] {
  if (!one.granted) return [];
  if (one.by?.length) return one.by.map(roleWords);
  const parts = (one.parts ?? []).flatMap(grantedBy);
  return parts.length ? [...new Set(parts)] : [one.rule.replaceAll('_', ' ')];
}

/** Any of which would give a right that is missing. */
export const missingFor = (one: Explanation): string[] =>
  one.granted ? [] : [...new Set([...(one.missing ?? []).map(roleWords), ...(one.parts ?? []).flatMap(missingFor)])];
