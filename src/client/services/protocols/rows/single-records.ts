import { milliseconds } from '../../../../shared/base/time.ts'
import { parseUserAgent } from '../../../../shared/protocol/user-agent.ts'
import { memberList, memberText } from '../json.ts'
import type { RecordPlace, RecordRow } from '../record-rows.ts'
import { bearer, encoded, labelIn, moreIn, named, recordBy, shows, wholeList, zoneBy } from './parts.ts'

// Services that write one record, which has an identifier.

/** docs.digitalocean.com/reference/api: a change keeps what it does not name. */
const digitalOcean: RecordRow = {
  headers: bearer,
  hasAllTypes: true,
  zones: {
    path: () => '/v2/domains?per_page=200',
    zonesIn: (document) => memberList(document, 'domains')?.map((one) => named(memberText(one, 'name'))),
    total: (document) => memberText(document, 'meta', 'total'),
    areNamed: true,
  },
  find: ({ zone, hostname }) => `/v2/domains/${zone}/records?name=${encoded(hostname)}&per_page=200`,
  recordsIn: (document, { label }) =>
    memberList(document, 'domain_records')
      ?.filter((one) => memberText(one, 'name') === label)
      .map(recordBy('id', 'type', 'data', 'ttl')),
  isMissing: () => false,
  write: ({ zone, label, type }, { address, ttl, before }) => ({
    ...(before === undefined
      ? {
          method: 'POST',
          path: `/v2/domains/${zone}/records`,
          body: { type, name: label, data: address, ttl },
        }
      : { method: 'PATCH', path: `/v2/domains/${zone}/records/${before.id}`, body: { type, data: address } }),
    isDone: shows(address, 'domain_record', 'data'),
  }),
  codesIn: () => [],
  refusals: {},
  ttl: 300,
}

/** porkbun.com/api/json/v3: a change repeats TTL and notes, and one that changes nothing is an error. */
const porkbun: RecordRow = {
  headers: () => ({}),
  secrets: ({ apiKey = '', password }) => ({ apikey: apiKey, secretapikey: password }),
  isSuccess: (document) => memberText(document, 'status') === 'SUCCESS',
  find: (place) => ({
    method: 'POST',
    path: `/api/json/v3/dns/retrieveByNameType/${inPorkbun(place)}`,
    body: {},
  }),
  recordsIn: (document) => memberList(document, 'records')?.map(recordBy('id', 'type', 'content', 'ttl')),
  isMissing: () => false,
  write: (place, { address: content, ttl, before }) =>
    before === undefined
      ? {
          method: 'POST',
          path: `/api/json/v3/dns/create/${place.zone}`,
          body: { name: labelIn(place.label), type: place.type, content, ttl },
        }
      : {
          method: 'POST',
          path: `/api/json/v3/dns/editByNameType/${inPorkbun(place)}`,
          body: { content, ttl, notes: memberText(before.whole, 'notes') },
        },
  codesIn: (document) => [/^[\w ]*\w/.exec(memberText(document, 'message') ?? '')?.[0] ?? ''],
  refusals: {
    'Invalid API key': 'badauth',
    'Domain is not opted in to API access': 'not-opted-in',
    'Invalid domain': 'no-zone',
    'Edit error': '911',
    'Create error': 'conflicting-record',
  },
  ttl: 600,
  gap: milliseconds(1100),
}
const inPorkbun = ({ zone, type, label }: RecordPlace): string =>
  [zone, type, ...(label === '@' ? [] : [encoded(label)])].join('/')

/** docs.dnspod.com/api-legacy: every answer has the status 200; a change repeats line, weight and status of a record. */
const dnspod: RecordRow = {
  // A name of one word, and the address of a person in brackets.
  headers: ({ userAgent }) => ({ 'user-agent': withBrackets(userAgent) }),
  secrets: ({ username, password }) => ({
    login_token: password.derive((token) => `${username},${token}`),
    format: 'json',
    lang: 'en',
  }),
  isForm: true,
  isSuccess: (document) => memberText(document, 'status', 'code') === '1',
  hasAllTypes: true,
  find: ({ zone, label }) => ({
    method: 'POST',
    path: '/Record.List',
    body: { domain: zone, sub_domain: label, error_on_empty: 'no' },
  }),
  recordsIn: (document) => memberList(document, 'records')?.map(recordBy('id', 'type', 'value', 'ttl')),
  isMissing: (_, document) => memberText(document, 'status', 'code') === '10',
  write: ({ zone, label, type }, { address, ttl, before }) => ({
    method: 'POST',
    path: before === undefined ? '/Record.Create' : '/Record.Modify',
    body: {
      domain: zone,
      sub_domain: label,
      record_type: type,
      value: address,
      ttl,
      record_line: memberText(before?.whole, 'line') ?? DNSPOD_LINE,
      ...(before !== undefined && { record_id: before.id }),
      ...Object.fromEntries(
        ['weight', 'status'].flatMap((member) => {
          const kept = memberText(before?.whole, member)
          return kept === undefined ? [] : [[member, kept]]
        }),
      ),
    },
  }),
  codesIn: (document) => [memberText(document, 'status', 'code') ?? ''],
  // biome-ignore format: a table
  refusals: {
    '-1': 'badauth', '-8': 'badauth', 85: 'badauth', 10002: 'badauth', '-2': '911', '-99': '911', 3: '911', 21: '911', 8: '911', '-7': 'plan',
    '-15': 'no-zone', 6: 'no-zone', 7: 'no-zone', 22: 'nohost', 23: 'nohost', 26: 'nohost', 31: 'conflicting-record', 104: '911', 27: '!donator', 32: '!donator', 34: '!donator',
  },
  ttl: 600,
}
function withBrackets(userAgent: string): string {
  const parsed = parseUserAgent(userAgent)
  if (parsed === undefined) return userAgent
  const { company, product, version, contact = company } = parsed
  return `${product}/${version} (${contact})`
}
/** The default line: answers for everybody. */
const DNSPOD_LINE = '默认'

/** techdocs.akamai.com/linode-api: a change keeps what it does not name. */
const linode: RecordRow = {
  headers: bearer,
  hasAllTypes: true,
  zones: {
    path: () => '/v4/domains?page_size=500',
    zonesIn: (document) => memberList(document, 'data')?.map(zoneBy('id', 'domain')),
    total: (document) => memberText(document, 'results'),
  },
  find: ({ zoneId }) => `/v4/domains/${zoneId}/records?page_size=500`,
  recordsIn: (document, { label }) =>
    wholeList(memberList(document, 'data'), memberText(document, 'results'))
      ?.filter((one) => memberText(one, 'name') === labelIn(label))
      .map(recordBy('id', 'type', 'target', 'ttl_sec')),
  isMissing: () => false,
  write: ({ zoneId, label, type }, { address: target, ttl, before }) => ({
    ...(before === undefined
      ? {
          method: 'POST',
          path: `/v4/domains/${zoneId}/records`,
          body: { type, name: labelIn(label), target, ttl_sec: ttl },
        }
      : { method: 'PUT', path: `/v4/domains/${zoneId}/records/${before.id}`, body: { target } }),
    isDone: shows(target, 'target'),
  }),
  codesIn: () => [],
  refusals: {},
  ttl: 300,
}

/** vultr.com/api: a change keeps what it does not name. */
const vultr: RecordRow = {
  headers: bearer,
  hasAllTypes: true,
  zones: {
    path: () => '/v2/domains?per_page=500',
    zonesIn: (document) => memberList(document, 'domains')?.map((one) => named(memberText(one, 'domain'))),
    total: (document) => memberText(document, 'meta', 'total'),
    areNamed: true,
  },
  find: ({ zone }) => `/v2/domains/${zone}/records?per_page=500`,
  recordsIn: (document, { label }) =>
    wholeList(memberList(document, 'records'), memberText(document, 'meta', 'total'))
      ?.filter((one) => memberText(one, 'name') === labelIn(label))
      .map(recordBy('id', 'type', 'data', 'ttl')),
  isMissing: () => false,
  write: ({ zone, label, type }, { address: data, ttl, before }) =>
    before === undefined
      ? {
          method: 'POST',
          path: `/v2/domains/${zone}/records`,
          body: { type, name: labelIn(label), data, ttl },
          isDone: shows(data, 'record', 'data'),
        }
      : { method: 'PATCH', path: `/v2/domains/${zone}/records/${before.id}`, body: { data }, isSilent: true },
  codesIn: () => [],
  refusals: {},
  ttl: 300,
}

/** vercel.com/docs/rest-api/dns: a change keeps what it does not name. */
const vercel: RecordRow = {
  headers: bearer,
  hasAllTypes: true,
  zones: {
    path: () => '/v5/domains?limit=100',
    zonesIn: (document) => memberList(document, 'domains')?.map((one) => named(memberText(one, 'name'))),
    total: moreIn('domains'),
    areNamed: true,
  },
  find: ({ zone }) => `/v4/domains/${zone}/records?limit=100`,
  recordsIn: (document, { label }) =>
    wholeList(memberList(document, 'records'), moreIn('records')(document))
      ?.filter((one) => memberText(one, 'name') === labelIn(label))
      .map(recordBy('id', 'type', 'value', 'ttl')),
  isMissing: () => false,
  write: ({ zone, label, type }, { address: value, ttl, before }) =>
    before === undefined
      ? {
          method: 'POST',
          path: `/v2/domains/${zone}/records`,
          body: { type, name: labelIn(label), value, ttl },
          isDone: (document) => memberText(document, 'uid') !== undefined,
        }
      : {
          method: 'PATCH',
          path: `/v1/domains/records/${before.id}`,
          body: { value },
          isDone: shows(value, 'value'),
        },
  codesIn: (document) => [memberText(document, 'error', 'code') ?? ''],
  refusals: { conflict: '911', bad_request: '!donator' },
  ttl: 60,
}

export const SINGLE_RECORDS = { digitalocean: digitalOcean, porkbun, dnspod, linode, vultr, vercel } as const
