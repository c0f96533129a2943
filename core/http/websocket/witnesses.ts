import type { Actor } from '@tapline/plugin-sdk';
import { type Client, send } from './client.ts';

/** May this actor read a row of this type? */
export type CanSee = (kind: string, id: number, actor: Actor) => Promise<boolean>;

/** Sends what concerns a run to those of the clients who may see the run; each user is judged once. */
export async function sendToWitnesses(
  clients: ReadonlySet<Client> | undefined,
  canSee: CanSee,
  { kind, run }: { kind: string; run: number },
  text: string,
): Promise<void> {
  const verdicts = new Map<number, boolean>();
  for (const client of clients ?? []) {
    const { actor } = client;
    if (!verdicts.has(actor.id)) verdicts.set(actor.id, seesAll(actor) || (await canSee(kind, run, actor)));
    if (verdicts.get(actor.id)) send(client, text);
  }
}

/** A run that was deleted since is still news for them. */
const seesAll = (actor: Actor) => actor.is_superuser || actor.is_system_auditor;
