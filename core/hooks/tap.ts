import type { BeforeStartOptions, StatusChange, StatusTapOptions, TapContext, TapOptions } from '@tapline/plugin-sdk';
import { stages } from '@tapline/plugin-sdk';

export type HookName = 'beforeStart' | QueuedHook;
export type QueuedHook = 'onStatusChange' | 'afterFinish' | 'onFactsUpdated';
export const hookNames: readonly HookName[] = ['beforeStart', 'onStatusChange', 'afterFinish', 'onFactsUpdated'];

export interface Tap {
  hook: HookName;
  plugin: string;
  name: string;
  /** `<plugin>:<name>`: how people and tables know it */
  label: string;
  stage: number;
  timeoutMs: number;
  /** null: it runs from the queue and is tried again */
  failMode: 'allow' | 'deny' | null;
  /** it may be asked about a launch that nobody makes */
  preview: boolean;
  /** it has nothing to do for now */
  asleep(): boolean;
  /** texts of a launch's body that it reads, and what for */
  takes: Readonly<Record<string, string>>;
  /** of a change of status: whether it is told of it */
  wants(change: Pick<StatusChange, 'kind' | 'to'>): boolean;
  /** of a change of status: the table that says which organizations it is told of; null: all */
  listeners: string | null;
  run(payload: unknown, context?: TapContext): unknown;
}

const longestMs = 600_000;
/** Characters of a text that the body of a launch holds for taps. */
export const longestGiven = 1024;
const awake = () => false;
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** @throws Error naming hook, tap and remedy for options that cannot work */
export function makeTap(
  hook: HookName,
  options: TapOptions &
    Partial<Pick<BeforeStartOptions, 'failMode' | 'preview' | 'takes'>> &
    Pick<StatusTapOptions, 'kinds' | 'to' | 'listeners'>,
  run: Tap['run'],
): Tap {
  const { plugin, name } = ownerOf(options?.name);
  const { stage = stages.default, timeoutMs = 30_000, failMode, preview = false, asleep = awake, takes = {} } = options;
  const { kinds, to, listeners = null } = options;
  const problem = (text: string) => new Error(`${hook} tap ${plugin}:${name}: ${text}`);
  if (!kebab.test(name)) throw problem('name must be kebab-case, like "capture-facts"');
  if (typeof run !== 'function') throw problem('the second argument must be the function that is called');
  if (!Number.isFinite(stage)) throw problem('stage must be a number; see stages in the SDK');
  // a timer beyond 2^31 ms fires at once, so a tap would always be too late
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > longestMs)
    throw problem(`timeoutMs must be a whole number from 1 to ${longestMs}`);
  if (hook === 'beforeStart' && failMode !== 'allow' && failMode !== 'deny')
    throw problem("failMode must be 'allow' or 'deny': it says whether a launch goes on when the tap fails");
  if (typeof preview !== 'boolean') throw problem('preview must be true or false');
  if (typeof asleep !== 'function') throw problem('asleep must be a function that answers true or false');
  return {
    hook,
    plugin,
    name,
    label: `${plugin}:${name}`,
    stage,
    timeoutMs,
    failMode: hook === 'beforeStart' ? failMode! : null,
    preview: hook === 'beforeStart' && preview,
    asleep,
    takes,
    wants: (change) => (kinds?.includes(change.kind) ?? true) && (to?.some((one) => one === change.to) ?? true),
    listeners,
    run,
  };
}

/** Taps of plugins are named `<plugin>:<name>`; without that it is core's own. */
function ownerOf(full: unknown): { plugin: string; name: string } {
  const text = String(full ?? '');
  const at = text.indexOf(':');
  return at < 0 ? { plugin: 'core', name: text } : { plugin: text.slice(0, at), name: text.slice(at + 1) };
}
