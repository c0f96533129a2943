import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { NoAnswer, persist } from './api.ts';
import { ask, busy, isBusy, type World } from './ask.ts';
import { pushed, receiver } from './events.ts';
import type { Ledger, Told } from './ledger.ts';
import { type PlayName, playNames, playOf, plays, secrets } from './plays.ts';
import { pick, type Random, weighted } from './random.ts';

interface Client {
  /** how many of them there are */
  number: number;
  /** longest pause between two acts */
  pauseMs: number;
  act(world: World, random: Random): Promise<void>;
}

const retryMs = 200;

const password = { credential_passwords: { become_password: secrets.asked } };
const passwordsOf = (play: PlayName) => (playOf(play).credentials ? password : {});

export const clients: Record<string, Client> = {
  launch: { number: 3, pauseMs: 400, act: launch },
  cancel: { number: 1, pauseMs: 3000, act: cancel },
  relaunch: { number: 1, pauseMs: 4000, act: relaunch },
  delete: { number: 1, pauseMs: 3000, act: remove },
  others: { number: 1, pauseMs: 3000, act: launchOther },
  push: { number: 1, pauseMs: 6000, act: push },
  approve: { number: 1, pauseMs: 1500, act: approve },
  list: { number: 1, pauseMs: 600, act: list },
  listen: { number: 2, pauseMs: 200, act: listen },
};

/** All of them, until they are told to end. Resolves when the last one has. */
export async function letLoose(world: World, streamOf: (name: string) => Random): Promise<void> {
  const each = Object.entries(clients).flatMap(([name, client]) =>
    Array.from({ length: client.number }, (_, index) => goOn(client, world, streamOf(`${name} ${index}`))),
  );
  await Promise.all(each);
}

async function goOn({ act, pauseMs }: Client, world: World, random: Random): Promise<void> {
  while (!world.over.aborted) {
    await act(world, random).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
    });
    await delay(random() * pauseMs, undefined, { signal: world.over }).catch(() => undefined);
  }
}

async function launch(world: World, random: Random): Promise<void> {
  const play = weighted(random, plays);
  const keyed = random() < 0.7;
  const twice = random() < 0.3;
  if (await isBusy(world)) return;
  const { ledger, templates, over } = world;
  const entry = ledger.began(keyed);
  const request: [string, string] = ['POST', `job_templates/${templates[play]}/launch/`];
  const body = { extra_vars: { chaos_mark: entry.mark }, ...passwordsOf(play) };
  const send = async () => {
    const headers: Record<string, string> = keyed ? { 'idempotency-key': entry.mark } : {};
    const answer = await ask(world, request, keyed ? [201, 409] : [201], body, headers);
    if (answer.status === 201) ledger.launched(entry, answer.body.id, play);
    return answer.status === 201;
  };
  if (!keyed) return void (await send());
  // whoever sends a key asks until there is an answer
  while (!(await send().catch(() => false)) && !over.aborted)
    await delay(retryMs, undefined, { signal: over }).catch(() => undefined);
  if (twice) await send();
}

/** Kinds of runs beside jobs: they go on through everything, too. */
async function launchOther(world: World, random: Random): Promise<void> {
  const [path, body] = world.others[Math.floor(random() * world.others.length)]!;
  if (await isBusy(world)) return;
  const answer = await ask(world, ['POST', path], [201, 202], body);
  if (answer.status < 300) world.ledger.others.push(answer.body.id);
}

/** A sender asks until there is an answer, which names the same log each time. */
async function push(world: World): Promise<void> {
  const { ledger, over } = world;
  const { body, headers } = pushed();
  const logs = new Set<number>();
  const send = async () => {
    const answer = await ask(world, ['POST', receiver], [202, 409], body, headers);
    if (answer.body.event_log) logs.add(answer.body.event_log);
    return answer.status !== 503;
  };
  while (!(await send().catch(() => false)) && !over.aborted)
    await delay(retryMs, undefined, { signal: over }).catch(() => undefined);
  if (logs.size) await send().catch(() => false);
  if (logs.size > 1) ledger.complain(`an event was answered with the logs ${[...logs].join(', ')}`);
  for (const log of logs) ledger.events.add(log);
}

/** Whatever waits for an answer; some of it is answered by its timeout before. */
async function approve(world: World): Promise<void> {
  const { status, body } = await ask(world, ['GET', 'workflow_approvals/?status=pending'], [200]);
  const [waits] = status === 200 ? body.results : [];
  if (waits) await ask(world, ['POST', `workflow_approvals/${waits.id}/approve/`], [204, 400], {});
}

/** In peace: nothing excuses one of them from ending as its playbook says. */
export async function launchEach({ api, ledger, templates, others }: Omit<World, 'over'>): Promise<void> {
  for (const [path, body] of others) ledger.others.push((await persist(path, () => api.call('POST', path, body))).id);
  for (const play of playNames) {
    const entry = ledger.began(true);
    const body = { extra_vars: { chaos_mark: entry.mark }, ...passwordsOf(play) };
    const headers = { 'idempotency-key': entry.mark };
    await persist(`the launch of ${play}`, async () => {
      const answer = await api.send('POST', `job_templates/${templates[play]}/launch/`, body, headers);
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
      ledger.launched(entry, answer.body.id, play);
    });
  }
}

const isThere = ({ deleteAsked }: Told) => !deleteAsked;

async function cancel(world: World, random: Random): Promise<void> {
  const { ledger } = world;
  const run = pick(random, ledger.known((told) => isThere(told) && !told.ended).slice(-busy));
  if (run === undefined) return;
  const told = ledger.runs.get(run)!;
  told.cancelAsked = true;
  const { status } = await ask(world, ['POST', `jobs/${run}/cancel/`], [202, 404, 405], {});
  if (status === 202) told.canceled = true;
  if (status === 404) assertMayBeGone(ledger, run);
}

async function relaunch(world: World, random: Random): Promise<void> {
  const { ledger } = world;
  const run = pick(random, ledger.known(isThere).slice(-20));
  if (run === undefined || (await isBusy(world))) return;
  const { play } = ledger.runs.get(run)!;
  const answer = await ask(world, ['POST', `jobs/${run}/relaunch/`], [201, 404], passwordsOf(play));
  if (answer.status === 201) ledger.exists(answer.body.id, play);
  if (answer.status === 404) assertMayBeGone(ledger, run);
}

function assertMayBeGone(ledger: Ledger, run: number): void {
  if (isThere(ledger.runs.get(run)!)) ledger.complain(`run ${run} was not found, and nobody deleted it`);
}

async function remove(world: World, random: Random): Promise<void> {
  const { ledger } = world;
  // one that was asked for without an answer is asked for again
  const run = pick(random, ledger.known(({ deleted }) => deleted === undefined).slice(-20));
  if (run === undefined) return;
  const told = ledger.runs.get(run)!;
  const again = told.deleteAsked;
  told.deleteAsked = true;
  const { status } = await ask(world, ['DELETE', `jobs/${run}/`], again ? [204, 403, 404] : [204, 403]);
  if (status === 204 || status === 404) told.deleted = performance.now();
  // it runs
  if (status === 403 && !again) told.deleteAsked = false;
}

/** What was answered before a list was asked for shows in it. */
async function list(world: World): Promise<void> {
  const { ledger } = world;
  const began = performance.now();
  const { status, body } = await ask(world, ['GET', 'jobs/?order_by=-id&page_size=200'], [200]);
  if (status !== 200) return;
  const shown = new Set<number>();
  for (const row of body.results) {
    shown.add(row.id);
    ledger.saw(row.id, row.status, began);
    const told = ledger.runs.get(row.id);
    if (told?.deleted !== undefined && told.deleted < began) ledger.complain(`run ${row.id} was deleted and is listed`);
    if (row.status === 'new') ledger.complain(`run ${row.id} is listed though it is not decided`);
  }
  const oldest = body.next === null ? 0 : Math.min(...shown);
  for (const [run, told] of ledger.runs)
    if (run > oldest && told.launched < began && !told.deleteAsked && !shown.has(run))
      ledger.complain(`run ${run} was launched and is not listed`);
}

async function listen({ api, ledger, over }: World, random: Random): Promise<void> {
  const runs = ledger.known((told) => isThere(told) && !told.ended).slice(-3);
  const socket = new WebSocket(`ws://127.0.0.1:${api.port}/websocket/`, {
    headers: { authorization: api.authorization },
  });
  const hear = hearing(ledger);
  socket.on('error', () => undefined);
  socket.on('message', (data) => hear(JSON.parse(String(data))));
  socket.on('open', () => socket.send(JSON.stringify({ groups: { jobs: ['status_changed'], job_events: runs } })));
  const ended = new AbortController();
  const closed = once(socket, 'close', { signal: ended.signal }).catch(() => undefined);
  await Promise.race([closed, delay(500 + random() * 4000, undefined, { signal: over }).catch(() => undefined)]);
  ended.abort();
  socket.terminate();
}

interface Message {
  group_name?: string;
  unified_job_id: number;
  status?: string;
  seq: number;
  job: number;
  counter?: number;
}

/**
 * On one connection nothing comes late: neither the events of a run, which never come twice either, nor its status, which
 * is said again after the service has lost sight of the database.
 */
function hearing(ledger: Ledger): (message: Message) => void {
  const last = new Map<string, number>();
  const inOrder = (what: string, number: number, least: 0 | 1) => {
    const before = last.get(what) ?? 0;
    if (number < before + least) ledger.complain(`${what} ${number} was sent after ${before}`);
    last.set(what, number);
  };
  return (message) => {
    if (message.group_name === 'jobs' && message.status) {
      ledger.count('message: status');
      inOrder(`status of run ${message.unified_job_id}`, message.seq, 0);
      ledger.saw(message.unified_job_id, message.status, 0);
    } else if (message.group_name === 'job_events' && message.counter) {
      ledger.count('message: event');
      inOrder(`event of run ${message.job}`, message.counter, 1);
    }
  };
}
