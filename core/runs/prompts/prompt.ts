import type { Field } from '@tapline/plugin-sdk';
import type { RoleType } from '../../rbac/definitions.ts';
import type { Variables } from '../../yaml/variables.ts';

export interface PromptLimits {
  /** 0 = none */
  maxForks: number;
  /** characters of variables */
  maxVariables: number;
  /** characters of any other text */
  maxText: number;
}

/** A template as prompts look at it: its columns, and what hangs on it by lists. */
export interface PromptedTemplate {
  [column: string]: unknown;
  inventory_id: number | null;
  project: { scm_branch: string } | null;
  credentials: readonly { id: number }[];
  labels: readonly { id: number }[];
  /** its own, read */
  variables: Variables;
}

/** What prompts have read, by their names. */
export interface PromptValues {
  extra_vars?: Variables;
  inventory?: number;
  credentials?: number[];
  labels?: number[];
  [name: string]: unknown;
}

/** What a given value changes: how it counts where the template asks for it, and what is told where it does not. */
export interface Change {
  accepted: unknown;
  /** undefined: not worth telling */
  ignored: unknown;
}

/** Records that a prompt names. */
export interface NamedRecords {
  /** those that a caller does not see do not exist for it */
  type: string;
  /** null: there are none of them yet */
  table: string | null;
  /** what whoever launches needs on those that the template does not name itself (contract/jobs.md §4.4) */
  use?: { type: RoleType; field: string };
  /** those that the template names itself */
  own?: (template: PromptedTemplate) => readonly number[];
}

/**
 * How a schedule or a workflow's node keeps it for launches to come (contract, part B2): in a field of its own, called as the
 * prompt is unless it has another name, null where nothing is set; or in a list of the records that the prompt names.
 */
export type SavedAs = { field: Field; name?: string } | { list: SavedList };

/** A table `<lists>_<prompt>` with the column that names the record, and the one that holds its place where order counts. */
export interface SavedList {
  column: string;
  order?: string;
}

/**
 * What a launch may be asked, declared once: bodies of launches, what a launch tells of itself, relaunches, saved prompts
 * of schedules and workflow nodes, OPTIONS and checks without launching all read this (contract/jobs.md §3).
 */
export interface Prompt {
  /** key of a launch's body */
  name: string;
  /** column of a template that opens it */
  flag: string;
  /** how OPTIONS and the API description show it */
  field: Field;
  /** @throws Error with the message for the client */
  read: (value: unknown, limits: PromptLimits) => unknown;
  /** column of templates and of runs that holds it; without one it is kept in a list of its own */
  column?: string;
  /** what the template has by itself, where that is not its column: giving it changes nothing */
  own?: (template: PromptedTemplate) => unknown;
  /** what a value changes, where comparing it with the template's own does not tell; undefined: nothing */
  change?(value: unknown, template: PromptedTemplate): Change | undefined;
  names?: NamedRecords;
  saved: SavedAs;
}
