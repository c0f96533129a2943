import { type Action, field, type Row, type Rule } from '@tapline/plugin-sdk';
import { webhookServices } from '../runs/choices.ts';
import { webhookKeyAction } from './key-action.ts';
import { receiverAction, type ReceiverDeps, type Receiving } from './receiver-action.ts';
import { senders } from './senders/senders.ts';
import type { WebhookKeyDeps } from './key-action.ts';

/** The fields by which templates of every kind that webhooks launch are told so. */
export const webhookFields = {
  webhook_service: field.choice(webhookServices, { default: '' }),
  webhook_key: field.string({
    mode: 'wo',
    secret: true,
    sealed: true,
    unoffered: true,
    max: 64,
    help: 'The key that webhooks are signed with; one is made where none is given.',
  }),
};

/** `webhook_key/` and a receiver for each sender. */
export const webhookActions = (
  services: ReceiverDeps & WebhookKeyDeps,
  receiving: Receiving & { change: Rule },
): Record<string, Action> => ({
  webhook_key: webhookKeyAction(services, receiving.type, receiving.change),
  ...Object.fromEntries(senders.map((sender) => [sender.name, receiverAction(services, sender, receiving)])),
});

/** Where its webhooks are to be sent; `''` where it has no service. */
export const webhookReceiver = ({ id, webhook_service: service }: Row, path: string): string =>
  service ? `/api/v2/${path}/${id}/${String(service)}/` : '';
