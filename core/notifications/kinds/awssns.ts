import type { NotificationKind } from '@tapline/plugin-sdk';
import aws4 from 'aws4';
import { ask, assertTaken, told } from './http.ts';

const text = { type: 'string', default: '' } as const;
const secret = { type: 'password', default: '' } as const;

/** A message to a topic: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const awssns: NotificationKind = {
  kind: 'awssns',
  label: 'AWS SNS',
  parts: 'body',
  bodies: 'data',
  recipients: 'sns_topic_arn',
  fields: {
    aws_region: { label: 'AWS Region', ...text },
    aws_access_key_id: { label: 'Access Key ID', ...text },
    aws_secret_access_key: { label: 'Secret Access Key', ...secret },
    aws_session_token: { label: 'Session Token', ...secret },
    sns_topic_arn: { label: 'SNS Topic ARN', ...text },
    api_url: { label: 'API address', type: 'string', optional: true, help: 'Of an endpoint of your own network.' },
  },
  check: ({ aws_region: region, aws_access_key_id: key, aws_secret_access_key: own, sns_topic_arn: topic }) =>
    Object.entries({ aws_region: region, aws_access_key_id: key, aws_secret_access_key: own, sns_topic_arn: topic })
      .filter(([, value]) => value === '')
      .map(([name]) => `${name} must not be empty: without it nothing can be sent.`)
      .concat(region && !/^[a-z0-9-]{1,40}$/.test(String(region)) ? ['aws_region is no name of a region.'] : []),
  async send({ configuration, body: message }, tools) {
    const given = configuration as Record<string, string>;
    const url = new URL(given['api_url'] || `https://sns.${given['aws_region']}.amazonaws.com/`);
    const body = new URLSearchParams({
      Action: 'Publish',
      Version: '2010-03-31',
      TopicArn: given['sns_topic_arn'] ?? '',
      Message: message,
    }).toString();
    const { headers } = aws4.sign(
      {
        service: 'sns',
        region: given['aws_region'],
        host: url.host,
        path: url.pathname,
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body,
      },
      {
        accessKeyId: given['aws_access_key_id'],
        secretAccessKey: given['aws_secret_access_key'],
        ...(given['aws_session_token'] && { sessionToken: given['aws_session_token'] }),
      },
    );
    // the client says the host and the length itself
    const { Host: _host, 'Content-Length': _length, ...sent } = headers as Record<string, string>;
    const answer = await ask(tools, url.href, { headers: sent, body });
    assertTaken(answer);
    return { answer: told(answer) };
  },
};
