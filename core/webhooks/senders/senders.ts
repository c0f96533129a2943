import { bitbucketDc } from './bitbucket-dc.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { Sender } from './sender.ts';

/** A further one stands here, and in the choices of `webhook_service`. */
export const senders: readonly Sender[] = [github, gitlab, bitbucketDc];

export const senderCalled = (name: unknown): Sender | undefined => senders.find((sender) => sender.name === name);
