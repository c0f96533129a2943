import { headerCalled } from '../../config/named-alike.ts';
import { cutText } from '../../db/safe-text.ts';
import { at, digestOf, isSignature, type Report, type Sender } from './sender.ts';

/** Where each type of event names its commit. */
const refs: Record<string, string> = {
  push: 'head_commit.id',
  pull_request: 'pull_request.head.sha',
  pull_request_review: 'pull_request.head.sha',
  pull_request_review_comment: 'pull_request.head.sha',
  pull_request_target: 'pull_request.head.sha',
  commit_comment: 'comment.commit_id',
  release: 'release.target_commitish',
  create: 'ref',
  page_build: 'build.commit',
};

const states: Record<Report['state'], string> = {
  pending: 'pending',
  running: 'pending',
  success: 'success',
  failure: 'failure',
  error: 'error',
};

/** Nothing else of the API is asked with the token, whatever a payload says. */
const ofStatuses = (address: string): string =>
  /^https?:\/\/[^/?#]+(\/[\w./-]*)?\/statuses\/[\w-]+$/.test(address) ? address : '';

export const github: Sender = {
  name: 'github',
  // the better signature counts where there is one, right or wrong
  isSigned: ({ headers, bytes }, key) =>
    isSignature(
      headerCalled(headers, 'x-hub-signature-256') ?? headerCalled(headers, 'x-hub-signature') ?? '',
      bytes,
      key,
    ),
  type: (headers) => headerCalled(headers, 'x-github-event') ?? '',
  guid: ({ headers, bytes }) => headerCalled(headers, 'x-github-delivery') || digestOf(bytes),
  isPing: (type) => (type === 'ping' ? 'signed' : undefined),
  ref: (type, payload) => at(payload, refs[type] ?? '') || (type === 'push' ? at(payload, 'after') : ''),
  pushed: (type, payload) => (type === 'push' ? [at(payload, 'ref')].filter(Boolean) : []),
  statusApi(type, payload) {
    if (type.startsWith('pull_request')) return ofStatuses(at(payload, 'pull_request.statuses_url'));
    const commit = type === 'push' ? github.ref(type, payload) : '';
    return commit ? ofStatuses(at(payload, 'repository.statuses_url').replace('{sha}', () => commit)) : '';
  },
  report: ({ state, name, description, address }, token) => ({
    headers: { authorization: `token ${token}`, accept: 'application/vnd.github+json' },
    body: JSON.stringify({
      state: states[state],
      context: name,
      description: cutText(description, 140),
      ...(address && { target_url: address }),
    }),
  }),
};
