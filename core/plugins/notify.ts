import type { NotifyService } from '@tapline/plugin-sdk';

/** What a plugin offers to the extension point `notification.kind`. */
export interface NotificationKind {
  /** `email`, `slack`, … */
  kind: string;
  send(message: { configuration: Record<string, unknown>; subject: string; body: string }): void | Promise<void>;
}

/** Core sends nothing itself: it finds the kind among those that plugins offer. */
export function notifyBy(kinds: () => readonly NotificationKind[]): NotifyService {
  return {
    async send({ kind, ...message }) {
      const offered = kinds();
      const found = offered.find((one) => one.kind === kind);
      if (!found) {
        const known = offered.map((one) => one.kind).join(', ') || 'none';
        throw new Error(
          `There is no notification kind "${kind}" (there are: ${known}). Switch on the plugin that brings it.`,
        );
      }
      await found.send(message);
    },
  };
}
