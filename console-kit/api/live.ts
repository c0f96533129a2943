import { signal } from '@preact/signals';
import { cookie, get } from './http.ts';
import type { RunEvent } from './types.ts';

export interface StatusChange {
  unified_job_id: number;
  status: string;
  type: string;
  finished?: string;
  seq: number;
}

type Listener<T> = (message: T) => void;

/** `off` while nobody is logged in; `polling` where the service answers, but something on the way refuses WebSockets. */
export const liveState = signal<'off' | 'connecting' | 'open' | 'lost' | 'polling'>('off');

const statusListeners = new Set<Listener<StatusChange>>();
const eventListeners = new Map<string, Set<Listener<any>>>();
const resyncs = new Set<() => void>();
/** Who listens to a group that the service has not confirmed yet, and which of our messages asked for it. */
const awaiting = new Map<() => void, { name: string; asked: number }>();
/** Messages of this connection: sent, and answered, which happens in their order. */
let asked = 0;
let answered = 0;
const longestPauseMs = 10_000;

let socket: WebSocket | null = null;
let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let pollTimer: ReturnType<typeof setTimeout> | undefined;
const pollEveryMs = 3000;
/** So many connections in a row must be refused while the service answers before it is asked instead. */
const refusalsBelieved = 3;
/** The service answers whatever it is asked; it is asked again so often, that a dead connection is noticed. */
const silenceMs = 10_000;
const askEveryMs = 30_000;
let silenceTimer: ReturnType<typeof setTimeout> | undefined;

/** Keeps one connection for all pages; after each new one everything is read again, since messages were missed. */
export function connectLive(): void {
  if (socket) return;
  if (liveState.peek() !== 'polling') liveState.value = attempts === 0 ? 'connecting' : 'lost';
  const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/websocket/`);
  socket = opened;
  asked = answered = 0;
  for (const waiting of awaiting.values()) waiting.asked = 1;
  opened.addEventListener('open', subscribe);
  opened.addEventListener('message', ({ data }) => receive(JSON.parse(String(data))));
  opened.addEventListener('close', () => ended(opened));
  awaitAnswer(opened);
}

function ended(closed: WebSocket): void {
  if (socket !== closed) return;
  socket = null;
  clearTimeout(silenceTimer);
  if (liveState.peek() !== 'polling') liveState.value = 'lost';
  attempts += 1;
  // refused again and again: has the session ended, or does a proxy let no WebSocket through?
  if (attempts % refusalsBelieved === 0) void poll();
  const pause = Math.min(longestPauseMs, 250 * 2 ** Math.min(attempts, 6));
  timer = setTimeout(connectLive, pause * (0.75 + Math.random() / 2));
}

/** A connection that says nothing counts as refused: a proxy may take it and pass nothing on, or it died unnoticed. */
function awaitAnswer(open: WebSocket): void {
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(() => {
    if (socket !== open) return;
    // one that never said anything will not by being asked again soon
    if (answered === 0) attempts = Math.max(attempts, refusalsBelieved - 1);
    // first: the browser tells of the end of a dead connection only after long
    ended(open);
    open.close();
  }, silenceMs);
}

/** Reads everything again every few seconds, for as long as the service answers and there is no connection. */
async function poll(): Promise<void> {
  clearTimeout(pollTimer);
  const answers = await get('me/', { quiet: true }).then(
    () => true,
    () => false,
  );
  if (liveState.peek() === 'open' || liveState.peek() === 'off') return;
  liveState.value = answers ? 'polling' : 'lost';
  if (!answers) return;
  for (const resync of resyncs) resync();
  pollTimer = setTimeout(() => void poll(), pollEveryMs);
}

export function disconnectLive(): void {
  clearTimeout(timer);
  clearTimeout(pollTimer);
  clearTimeout(silenceTimer);
  attempts = 0;
  liveState.value = 'off';
  const closing = socket;
  socket = null;
  closing?.close();
}

addEventListener('online', () => {
  if (socket) subscribe();
  if (liveState.value !== 'lost' || socket) return;
  clearTimeout(timer);
  connectLive();
});

// after sleep the connection may be dead
document.addEventListener('visibilitychange', () => void (document.hidden || subscribe()));

function subscribe(): void {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const groups: Record<string, (string | number)[]> = { jobs: ['status_changed'] };
  for (const name of eventListeners.keys()) {
    const at = name.lastIndexOf('-');
    (groups[name.slice(0, at)] ??= []).push(Number(name.slice(at + 1)));
  }
  asked += 1;
  socket.send(JSON.stringify({ xrftoken: cookie('csrftoken'), groups }));
  awaitAnswer(socket);
}

function receive(message: any): void {
  // from here on nothing is missed: what was before can be read now
  if (message.groups_current) {
    const again = attempts > 0 || liveState.value !== 'open';
    attempts = 0;
    liveState.value = 'open';
    if (again) for (const resync of resyncs) resync();
    answered += 1;
    clearTimeout(silenceTimer);
    if (answered < asked && socket) awaitAnswer(socket);
    else silenceTimer = setTimeout(subscribe, askEveryMs);
    // an answer to what was asked earlier may name a group that has been left, and will be joined again
    for (const [joined, waiting] of awaiting)
      if (waiting.asked <= answered && message.groups_current.includes(waiting.name)) {
        awaiting.delete(joined);
        joined();
      }
    return;
  }
  if (message.group_name === 'jobs' && message.status) for (const listener of statusListeners) listener(message);
  // events name their run under its kind, those of a workflow's parts the workflow
  const run = message[String(message.group_name).replace(/_events$/, '')] ?? message.workflow_job_id;
  // messages of plugins may name their item, and may have a field of the group's name; else they are for all who listen to the group
  const item = typeof run === 'number' ? run : message.item;
  for (const [name, listeners] of eventListeners) {
    const fits =
      item === undefined ? name.replace(/-\d+$/, '') === message.group_name : name === `${message.group_name}-${item}`;
    if (fits) for (const listener of listeners) listener(message);
  }
}

/** Each change of a run's status. Returns how to stop. */
export function onStatus(listener: Listener<StatusChange>): () => void {
  statusListeners.add(listener);
  return () => statusListeners.delete(listener);
}

/** After a connection was lost and made again. */
export function onResync(listener: () => void): () => void {
  resyncs.add(listener);
  return () => resyncs.delete(listener);
}

/** How a run of a workflow goes on: the statuses of what its nodes launched. */
export interface PartChange extends StatusChange {
  workflow_node_id: number;
}

export const onParts = (run: number, listener: Listener<PartChange>, joined?: () => void): (() => void) =>
  onGroup('workflow_events', run, listener, joined);

/** The events of one run while it goes on. */
export const onEvents = (group: string, run: number, listener: Listener<RunEvent>, joined?: () => void): (() => void) =>
  onGroup(group, run, listener, joined);

/**
 * Messages of a plugin's group about one item; those that do not say their `item` come to all who listen to the group.
 * `joined` is called once when the service has let one in: what changed between a reading and that moment was told to
 * nobody, so whoever shows what they read reads it again.
 */
export function onGroup(group: string, item: number, listener: Listener<any>, joined?: () => void): () => void {
  const name = `${group}-${item}`;
  const listeners = eventListeners.get(name) ?? new Set();
  eventListeners.set(name, listeners.add(listener));
  // each listener waits by itself, also where two give the same function
  const letIn = joined && (() => joined());
  if (letIn) awaiting.set(letIn, { name, asked: asked + 1 });
  subscribe();
  return () => {
    if (letIn) awaiting.delete(letIn);
    listeners.delete(listener);
    if (!listeners.size) eventListeners.delete(name);
    subscribe();
  };
}
