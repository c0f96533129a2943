import type { Knex, PluginApi, Task, TaskContext } from '@tapline/plugin-sdk';
import { detectOptions } from '../detect/detect.ts';
import type { Aside } from './aside.ts';
import type { NewSnapshot } from './history.ts';
import { type HostPlan, lockHosts, readPlans } from './plans.ts';
import { cutPlan, portionsOf, sizesOf } from './portions.ts';
import { noteProblems, reasonOf } from './problems.ts';
import { readContents, readDocuments } from './read-facts.ts';
import { storeSnapshots } from './store.ts';
import type { Hosts } from './take-reports.ts';

/** How long a report waits for what belongs before it. */
const patienceSeconds = 60;
const mostHostsInMessage = 500;
/** The item of the live group that stands for every inventory: it says of none that it is there. */
export const anyInventory = 0;

export interface Tasks {
  capture: Task<Hosts>;
  judge: Task<Hosts>;
}

interface Means extends Tasks {
  aside: Aside;
}

/**
 * Captures what was reported of these hosts. Where that fails, each is tried again by itself, so that what is wrong with one
 * is not the fault of the others; of the one it is noted.
 */
export async function captureHosts(
  api: PluginApi,
  means: Means,
  hosts: readonly number[],
  { signal }: Pick<TaskContext, 'signal'>,
): Promise<void> {
  try {
    await captureTogether(api, means, hosts);
  } catch (err) {
    // the thread ended with the service, which says nothing of the facts
    if (signal.aborted) throw err;
    const [host, ...others] = hosts;
    if (others.length) {
      api.log.warn({ err, hosts: hosts.length }, 'facts could not be captured together: each host is tried by itself');
      await means.capture.enqueueAll(
        api.db,
        hosts.map((id) => ({ hosts: [id] })),
      );
      return;
    }
    if (host !== undefined) await noteProblems(api, api.db, [host], new Map([[host, reasonOf(err)]]));
    throw err;
  }
}

/**
 * All of it is one transaction under a lock on each host: whatever dies, each snapshot and detection is there once, and pairs are
 * consecutive.
 */
async function captureTogether(api: PluginApi, { aside, ...tasks }: Means, hosts: readonly number[]): Promise<void> {
  await api.db.transaction(async (trx) => {
    await lockHosts(api, trx, hosts);
    const whole = await readPlans(api, trx, hosts, patienceSeconds);
    const sizes = await sizesOf(trx, whole);
    const cut = whole.map((plan) => cutPlan(plan, sizes));
    const plans = cut.map(({ plan }) => plan);
    const drifted: HostPlan[] = [];
    const problems = new Map<number, string>();
    for (const portion of portionsOf(plans, sizes))
      // they are statements of one transaction
      // oxlint-disable-next-line no-await-in-loop
      drifted.push(...(await capturePortion({ api, trx, aside, problems }, portion)));
    await forget(api, trx, plans);
    const captured = plans.map(({ host_id: id }) => id);
    await noteProblems(api, trx, captured, problems);
    const rest = cut.filter((one) => one.rest).map(({ plan }) => plan.host_id);
    if (rest.length) await tasks.capture.enqueue(trx, { hosts: rest });
    const waiting = plans.flatMap(({ host_id: id, chain }) => (chain.waiting.length && !rest.includes(id) ? [id] : []));
    if (waiting.length) await tasks.capture.enqueue(trx, { hosts: waiting }, { afterSeconds: patienceSeconds + 1 });
    if (!drifted.length) return;
    await tasks.judge.enqueue(trx, { hosts: drifted.map(({ host_id: id }) => id) });
    await tell(api, trx, drifted);
  });
}

interface Portion {
  api: PluginApi;
  trx: Knex;
  aside: Aside;
  /** why facts were left out, by host */
  problems: Map<number, string>;
}

/** @returns those that drifted */
async function capturePortion({ api, trx, aside, problems }: Portion, plans: readonly HostPlan[]): Promise<HostPlan[]> {
  const latest = new Map(plans.flatMap(({ host_id: id, latest: newest }) => (newest ? [[id, newest] as const] : [])));
  const documents = await readDocuments(
    trx,
    plans.flatMap(({ chain }) => chain.steps.map(({ hash }) => hash)),
  );
  const contents = await readContents(
    api,
    trx,
    [...latest.values()].map(({ id }) => id),
  );
  const options = detectOptions(api.settings);
  const found: NewSnapshot[] = [];
  for (const plan of plans) {
    // one by one: what a thread is given is copied
    // oxlint-disable-next-line no-await-in-loop
    const { snapshots, leftOut } = await aside.historyOf({
      plan,
      documents: ofSteps(plan, documents),
      newest: contents.get(latest.get(plan.host_id)?.id ?? 0),
      options,
    });
    for (const { why, ...of } of leftOut) {
      api.log.warn({ host: plan.host_id, ...of }, why);
      problems.set(plan.host_id, why);
    }
    found.push(...snapshots);
  }
  await storeSnapshots(api, trx, found, latest);
  const ids = new Set(found.filter(({ differences }) => differences.length).map(({ host_id: id }) => id));
  return plans.filter(({ host_id: id }) => ids.has(id));
}

function ofSteps({ chain }: HostPlan, documents: ReadonlyMap<string, string>): Map<string, string> {
  const hashes = new Set(chain.steps.map(({ hash }) => hash));
  return new Map([...hashes].flatMap((hash) => (documents.has(hash) ? [[hash, documents.get(hash)!] as const] : [])));
}

/** Reports that are dealt with. */
async function forget({ table }: PluginApi, trx: Knex, plans: readonly HostPlan[]): Promise<void> {
  const done = plans.flatMap(({ host_id, chain }) => chain.done.map((run) => ({ host_id, run_id: run })));
  await trx.raw(
    `delete from ${table('reports')} r using json_to_recordset(?::json) as d(host_id bigint, run_id bigint)
     where r.host_id = d.host_id and r.run_id = d.run_id`,
    [JSON.stringify(done)],
  );
}

/** Who listens to an inventory learns which of its hosts drifted; who listens to any, that there is something to read. */
async function tell({ websocket }: PluginApi, trx: Knex, drifted: readonly HostPlan[]): Promise<void> {
  for (const [inventory, plans] of Map.groupBy(drifted, ({ inventory_id: id }) => id)) {
    const hosts = plans.slice(0, mostHostsInMessage).map(({ host_id: id }) => id);
    // of one transaction
    // oxlint-disable-next-line no-await-in-loop
    await websocket.publish(trx, 'drift', inventory, { type: 'drift_detection', inventory, hosts });
  }
  await websocket.publish(trx, 'drift', anyInventory, { type: 'drift_detection' });
}
