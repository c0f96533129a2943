import type { Signal } from '@preact/signals';
import { ApiFailure, post, type Row, t } from '@tapline/console-kit';

/** What a template may ask for that a node keeps as a list below it. */
export interface NodeList {
  /** of the list below the node */
  name: string;
  label: string;
  flag: string;
  /** what there is to choose from: what the API lets the caller use */
  from: string;
  hint?: string;
}

export const nodeLists: readonly NodeList[] = [
  {
    name: 'credentials',
    label: t`Credentials`,
    flag: 'ask_credential_on_launch',
    from: 'credentials/?role_level=use_role',
    hint: t`Each takes the place of the template’s of the same type.`,
  },
  { name: 'labels', label: t`Labels`, flag: 'ask_labels_on_launch', from: 'labels/' },
  {
    name: 'instance_groups',
    label: t`Instance groups`,
    flag: 'ask_instance_groups_on_launch',
    from: 'instance_groups/?role_level=use_role',
    hint: t`Where it may run, the first before the others.`,
  },
];

export interface ListChange {
  before: readonly Row[];
  after: readonly Row[];
}

/** By the name of the list; one that nobody touched is not in it. */
export type ListChanges = Signal<Record<string, ListChange>>;

export const pathOfList = (node: number, list: string) => `workflow_job_template_nodes/${node}/${list}/`;

/** What is taken off goes first: of each type of credentials there can be one. @throws ApiFailure at the list's field */
export async function storeLists(node: number, lists: readonly NodeList[], changes: ListChanges): Promise<void> {
  for (const { name } of lists) {
    const change = changes.value[name];
    if (!change) continue;
    const missing = (of: readonly Row[], among: readonly Row[]) =>
      of.filter(({ id }) => !among.some((other) => other.id === id));
    const bodies = [
      ...missing(change.before, change.after).map(({ id }) => ({ id, disassociate: true })),
      ...missing(change.after, change.before).map(({ id }) => ({ id })),
    ];
    for (const body of bodies)
      // their order counts
      // oxlint-disable-next-line no-await-in-loop
      await post(pathOfList(node, name), body).catch((error: unknown) => {
        if (!(error instanceof ApiFailure)) throw error;
        throw new ApiFailure(400, { [name]: [error.message] });
      });
  }
}
