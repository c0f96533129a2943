import { cutText } from '../../db/safe-text.ts';
import { at, digestOf, isSignature, onHostOf, type Report, type Sender } from './sender.ts';

const pushes = new Set(['repo:refs_changed', 'mirror:repo_synchronized']);
const requests = new Set(['pr:opened', 'pr:from_ref_updated', 'pr:modified']);

const states: Record<Report['state'], string> = {
  pending: 'INPROGRESS',
  running: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  error: 'FAILED',
};

const changesOf = (payload: unknown): unknown[] => {
  const { changes } = (payload ?? {}) as { changes?: unknown };
  return Array.isArray(changes) ? changes.slice(0, 100) : [];
};

export const bitbucketDc: Sender = {
  name: 'bitbucket_dc',
  isSigned: ({ headers, bytes }, key) => isSignature(headers['x-hub-signature'] ?? '', bytes, key),
  type: (headers) => headers['x-event-key'] ?? '',
  guid: ({ headers, bytes }) => headers['x-request-id'] || digestOf(bytes),
  isPing: (type) => (type === 'diagnostics:ping' ? 'unsigned' : undefined),
  starts: (type) => pushes.has(type) || requests.has(type),
  ref: (type, payload) =>
    pushes.has(type)
      ? at(changesOf(payload)[0], 'toHash')
      : requests.has(type)
        ? at(payload, 'pullRequest.fromRef.latestCommit')
        : '',
  pushed: (type, payload) =>
    pushes.has(type)
      ? changesOf(payload)
          .map((change) => at(change, 'ref.id') || at(change, 'refId'))
          .filter(Boolean)
      : [],
  statusApi(type, payload) {
    const commit = bitbucketDc.ref(type, payload);
    const links = ['actor.links.self.0.href', 'repository.links.self.0.href', 'pullRequest.links.self.0.href'];
    const address = links.map((link) => at(payload, link)).find(Boolean) ?? '';
    return commit ? onHostOf(address, `/rest/build-status/1.0/commits/${encodeURIComponent(commit)}`) : '';
  },
  report: ({ state, name, description, address }, token) => ({
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ state: states[state], key: name, description: cutText(description, 255), url: address }),
  }),
};
