import type { Actor } from '@tapline/plugin-sdk';
import type { Catalog } from '../../descriptors/compile.ts';
import type { CoreRule } from '../../rbac/rules.ts';
import { type Client, send } from './client.ts';

/** May this actor read a row of this type? */
export type CanSee = (kind: string, id: number, actor: Actor) => Promise<boolean>;

/** Sends what concerns a row to those of the clients who may see it; each user is judged once. */
export async function sendToWitnesses(
  clients: ReadonlySet<Client> | undefined,
  canSee: CanSee,
  { kind, id }: { kind: string; id: number },
  text: string,
): Promise<void> {
  const verdicts = new Map<number, boolean>();
  for (const client of clients ?? []) {
    const { actor } = client;
    if (!verdicts.has(actor.id)) verdicts.set(actor.id, await canSee(kind, id, actor));
    if (verdicts.get(actor.id)) send(client, text);
  }
}

/** Who may read a row, and who may be told of it. */
export function sightOf(catalog: Pick<Catalog, 'find' | 'models'>): { canSee: CanSee; canWitness: CanSee } {
  const canSee: CanSee = async (kind, id, actor) => (await catalog.find(kind, id, actor)) !== undefined;
  const isRestricted = (kind: string) =>
    (catalog.models.get(kind)?.resource.access.see as CoreRule | undefined)?.restricted === true;
  return {
    canSee,
    // who sees everything need not be looked up, and a run that was deleted since is still news for them; but what a
    // plugin hides from everybody is hidden from them as well
    canWitness: async (kind, id, actor) =>
      ((actor.is_superuser || actor.is_system_auditor) && !isRestricted(kind)) || canSee(kind, id, actor),
  };
}
