import { DeliveryError, type NotificationKind, type RunKind } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../descriptors/compile.ts';
import { makeCall, serviceItself } from '../descriptors/call.ts';
import { withoutEndingSlashes } from '../outbound/addresses.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Settings } from '../settings/settings.ts';
import { compose, type Composed, plainTexts } from './compose.ts';
import { contextOf, hostsOf } from './context.ts';

export interface ComposeDeps {
  db: Knex;
  catalog: Catalog;
  kinds: { find(kind: string): RunKind | undefined };
  sandbox: Pick<Sandbox, 'renderEach'>;
  settings: Pick<Settings, 'get'>;
}

interface Asked {
  run_id: number | null;
  /** of the run; null where there is none */
  run_kind: string | null;
  event: string;
  /** which its texts were made for */
  notification_type: string;
  source: Record<string, unknown>;
  subject: string | null;
  body: string | null;
  messages: Record<string, unknown> | null;
}

/**
 * The texts: put together at the first try, of the run as it was then, and the same at every other, unless the template has
 * become one of another kind, which may send other parts.
 * @throws DeliveryError where nothing can be told of the run
 */
export async function textsOf(deps: ComposeDeps, asked: Asked, kind: NotificationKind): Promise<Composed> {
  const { run_id: id, run_kind: named, event, source, subject, body, messages } = asked;
  if (subject !== null && asked.notification_type === kind.kind) return { subject, body: body ?? '' };
  if (id === null) return plainTexts(kind, subject ?? '', body ?? '');
  const { db, catalog, kinds, settings, sandbox } = deps;
  const runKind = named === null ? undefined : kinds.find(named);
  if (named !== null && !runKind) throw new DeliveryError(`No plugin that is on brings runs of the kind "${named}".`);
  const [[run], hosts, metadata] = await Promise.all([
    // rights were asked about when the template was attached
    runKind ? catalog.represent(runKind.kind, [id], makeCall(catalog, { actor: serviceItself })) : [],
    hostsOf(db, id),
    runKind?.notifies?.metadata?.(db, id),
  ]);
  // it was deleted a moment ago, and the notification with it
  if (!runKind || !run) throw new DeliveryError(`Run ${id} is no more.`);
  const base = withoutEndingSlashes(String(settings.get('TOWER_URL_BASE')));
  return compose(sandbox, {
    kind,
    messages,
    event,
    context: contextOf({ kind: runKind, run, event, hosts, metadata, source, base }),
  });
}
