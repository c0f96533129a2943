import type { NotificationKind } from '@tapline/plugin-sdk';
import { awssns } from './kinds/awssns.ts';
import { mattermost, msteams, rocketchat } from './kinds/chat-hooks.ts';
import { email } from './kinds/email.ts';
import { grafana } from './kinds/grafana.ts';
import { irc } from './kinds/irc.ts';
import { pagerduty } from './kinds/pagerduty.ts';
import { slack } from './kinds/slack.ts';
import { twilio } from './kinds/twilio.ts';
import { webhook } from './kinds/webhook.ts';

/** What comes with the service, one line each. */
const own: readonly NotificationKind[] = [
  email,
  grafana,
  irc,
  webhook,
  mattermost,
  msteams,
  pagerduty,
  rocketchat,
  slack,
  twilio,
  awssns,
];

/** All ways to send. */
export class NotificationKinds {
  readonly #byName: ReadonlyMap<string, NotificationKind>;

  /** @throws Error where two have one name */
  constructor(offered: readonly NotificationKind[] = []) {
    const all = [...own, ...offered];
    const names = all.map(({ kind }) => kind);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice) throw new Error(`there are two notification kinds "${twice}": give one another name`);
    this.#byName = new Map(all.map((kind) => [kind.kind, kind]));
  }

  find(kind: string): NotificationKind | undefined {
    return this.#byName.get(kind);
  }

  all(): NotificationKind[] {
    return [...this.#byName.values()];
  }
}

export const sendsMessage = ({ parts = 'both' }: NotificationKind): boolean => parts !== 'body';
export const sendsBody = ({ parts = 'both' }: NotificationKind): boolean => parts !== 'message';
export const labelOfKind = ({ kind, label = kind }: NotificationKind): string => label;
