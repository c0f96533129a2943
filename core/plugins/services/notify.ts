import type { NotifyService } from '@tapline/plugin-sdk';
import { sendNow } from '../../notifications/send.ts';
import { enqueueText } from '../../notifications/enqueue.ts';
import type { CoreServices } from './core-services.ts';

type Deps = Pick<CoreServices, 'db' | 'queue' | 'outbound' | 'settings' | 'notificationKinds'>;

/** Messages of plugins: at once by any kind, or by a notification template with its tries and its record. */
export const notifyBy = (deps: Deps): NotifyService => ({
  async send({ kind, ...message }) {
    const found = deps.notificationKinds.find(kind);
    if (!found) {
      const known = deps.notificationKinds.all().map((one) => one.kind);
      throw new Error(
        `There is no notification kind "${kind}" (there are: ${known.join(', ')}). Switch on the plugin that brings it.`,
      );
    }
    await sendNow(deps, found, message);
  },
  async deliver({ template: id, subject, body = '', trx, told }) {
    const store = async (within: NonNullable<typeof trx>) => {
      const template = await within('notification_templates')
        .where({ id })
        .forKeyShare()
        .first('id', 'notification_type');
      if (!template) throw new Error(`There is no notification template ${id}.`);
      const outcome = told && { task: told.task.name, kept: told.kept ?? null };
      return enqueueText(deps, within, { template, event: 'message', subject, body, outcome });
    };
    return trx ? store(trx) : deps.db.transaction(store);
  },
});
