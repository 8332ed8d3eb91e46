import { SecretText } from '../../net/secret-text.ts'
import { memberList, memberText } from './json.ts'
import type { ServiceAccount } from './protocol.ts'
import type { RecordRow, RowRecord } from './record-rows.ts'

const bearer = ({ password }: ServiceAccount) => ({ authorization: new SecretText('Bearer ', password) })
const ttlIn = (document: unknown, member: string): number | undefined => {
  const text = memberText(document, member)
  return text === undefined ? undefined : Number(text)
}
/** All values of a name and type, which have one TTL. */
const valuesIn =
  (member: string, ttl: string): RecordRow['recordsIn'] =>
  (document, { type }) =>
    memberList(document, member)?.map((value) => ({
      id: '',
      type,
      value: String(value),
      ttl: ttlIn(document, ttl),
    }))
/** A zone that is known by its name. */
const named = (name = '') => ({ id: name, name })
const isNotFound = ({ status }: { readonly status: number }): boolean => status === 404
const labelIn = (label: string): string => (label === '@' ? '' : label)
const path = encodeURIComponent

/** api.gandi.net/docs/livedns: a write without the TTL resets it. */
const gandi: RecordRow = {
  headers: bearer,
  find: ({ zone, label, type }) => `/v5/livedns/domains/${zone}/records/${path(label)}/${type}`,
  recordsIn: valuesIn('rrset_values', 'rrset_ttl'),
  // A domain that is not of this account is 404 too.
  isMissing: (answer, document) => isNotFound(answer) && memberText(document, 'message') !== 'Unknown domain',
  write: ({ zone, label, type }, { address, ttl }) => ({
    method: 'PUT',
    path: `/v5/livedns/domains/${zone}/records/${path(label)}/${type}`,
    body: { rrset_values: [address], rrset_ttl: ttl },
  }),
  codesIn: () => [],
  refusals: {},
  ttl: 300,
}

/** docs.digitalocean.com/reference/api: a change keeps what it does not name. */
const digitalOcean: RecordRow = {
  headers: bearer,
  hasAllTypes: true,
  zones: {
    path: () => '/v2/domains?per_page=200',
    zonesIn: (document) => memberList(document, 'domains')?.map((one) => named(memberText(one, 'name'))),
  },
  find: ({ zone, hostname }) => `/v2/domains/${zone}/records?name=${path(hostname)}&per_page=200`,
  recordsIn: (document) =>
    memberList(document, 'domain_records')?.map(
      (one): RowRecord => ({
        id: memberText(one, 'id') ?? '',
        type: memberText(one, 'type') ?? '',
        value: memberText(one, 'data') ?? '',
        ttl: ttlIn(one, 'ttl'),
      }),
    ),
  isMissing: () => false,
  write: ({ zone, label, type }, { address, ttl, before }) =>
    before === undefined
      ? {
          method: 'POST',
          path: `/v2/domains/${zone}/records`,
          body: { type, name: label, data: address, ttl },
        }
      : { method: 'PATCH', path: `/v2/domains/${zone}/records/${before.id}`, body: { type, data: address } },
  codesIn: () => [],
  refusals: {},
  ttl: 300,
}

/** desec.readthedocs.io: the service says which zone is responsible for a name. */
const desec: RecordRow = {
  headers: ({ password }) => ({ authorization: new SecretText('Token ', password) }),
  zones: {
    path: (hostname) => `/api/v1/domains/?owns_qname=${path(hostname)}`,
    zonesIn: (document) =>
      memberList(document)?.map((one) => ({
        ...named(memberText(one, 'name')),
        minTtl: ttlIn(one, 'minimum_ttl'),
      })),
  },
  find: ({ zone, label, type }) => `/api/v1/domains/${zone}/rrsets/${path(label)}/${type}/`,
  recordsIn: valuesIn('records', 'ttl'),
  isMissing: isNotFound,
  write: ({ zone, label, type }, { address, ttl }) => ({
    method: 'PATCH',
    path: `/api/v1/domains/${zone}/rrsets/`,
    body: [{ subname: labelIn(label), type, ttl, records: [address] }],
  }),
  codesIn: () => [],
  refusals: {},
  ttl: 60,
}

/** docs.hetzner.cloud: `set_records` keeps the TTL. */
const hetzner: RecordRow = {
  headers: bearer,
  zones: {
    path: () => '/v1/zones?per_page=50',
    zonesIn: (document) =>
      memberList(document, 'zones')?.map((one) => ({
        id: memberText(one, 'id') ?? '',
        name: memberText(one, 'name') ?? '',
      })),
  },
  find: ({ zoneId, label, type }) => `/v1/zones/${zoneId}/rrsets/${path(label)}/${type}`,
  recordsIn: (document, { type }) =>
    memberList(document, 'rrset', 'records')?.map((one) => ({
      id: '',
      type,
      value: memberText(one, 'value') ?? '',
      ttl: undefined,
    })),
  isMissing: isNotFound,
  write: ({ zoneId, label, type }, { address, ttl, before }) =>
    before === undefined
      ? {
          method: 'POST',
          path: `/v1/zones/${zoneId}/rrsets`,
          body: { name: label, type, ttl, records: [{ value: address }] },
        }
      : {
          method: 'POST',
          path: `/v1/zones/${zoneId}/rrsets/${path(label)}/${type}/actions/set_records`,
          body: { records: [{ value: address }] },
        },
  codesIn: (document) => [memberText(document, 'error', 'code') ?? ''],
  refusals: { invalid_input: '!donator', locked: '911', conflict: '911' },
  ttl: 300,
}

/** ns1.com/api: a change keeps filters and metadata of the record. */
const ns1: RecordRow = {
  headers: ({ password }) => ({ 'x-nsone-key': new SecretText(password) }),
  zones: {
    path: () => '/v1/zones',
    zonesIn: (document) => memberList(document)?.map((one) => named(memberText(one, 'zone'))),
  },
  find: ({ zone, hostname, type }) => `/v1/zones/${zone}/${path(hostname)}/${type}`,
  recordsIn: (document, { type }) =>
    memberList(document, 'answers')?.map((one) => ({
      id: '',
      type,
      value: memberText(one, 'answer', 0) ?? '',
      ttl: ttlIn(document, 'ttl'),
    })),
  isMissing: (answer, document) =>
    isNotFound(answer) && memberText(document, 'message') === 'record not found',
  write: ({ zone, hostname, type }, { address, ttl, before }) => ({
    method: before === undefined ? 'PUT' : 'POST',
    path: `/v1/zones/${zone}/${path(hostname)}/${type}`,
    body:
      before === undefined
        ? { zone, domain: hostname, type, ttl, answers: [{ answer: [address] }] }
        : { answers: [{ answer: [address] }] },
  }),
  codesIn: () => [],
  refusals: {},
  ttl: 300,
}

/** developer.hosting.ionos.com/docs/dns: a change replaces all records of its name and type. */
const ionos: RecordRow = {
  headers: ({ password }) => ({ 'x-api-key': new SecretText(password) }),
  hasAllTypes: true,
  zones: {
    path: () => '/dns/v1/zones',
    zonesIn: (document) =>
      memberList(document)?.map((one) => ({
        id: memberText(one, 'id') ?? '',
        name: memberText(one, 'name') ?? '',
      })),
  },
  find: ({ zoneId, hostname, type }) =>
    `/dns/v1/zones/${zoneId}?suffix=${path(hostname)}&recordType=${path(`${type},CNAME`)}`,
  recordsIn: (document, { hostname }) =>
    memberList(document, 'records')
      ?.filter((one) => memberText(one, 'name') === hostname)
      .map((one) => ({
        id: memberText(one, 'id') ?? '',
        type: memberText(one, 'type') ?? '',
        value: memberText(one, 'content') ?? '',
        ttl: ttlIn(one, 'ttl'),
      })),
  isMissing: () => false,
  write: ({ zoneId, hostname, type }, { address, ttl }) => ({
    method: 'PATCH',
    path: `/dns/v1/zones/${zoneId}`,
    body: [{ name: hostname, type, content: address, ttl, prio: 0, disabled: false }],
    isSilent: true,
  }),
  codesIn: (document) => memberList(document)?.flatMap((one) => memberText(one, 'code') ?? []) ?? [],
  refusals: {
    UNAUTHORIZED: 'badauth',
    RECORD_NOT_FOUND: 'no-zone',
    INVALID_RECORD: '!donator',
    INTERNAL_SERVER_ERROR: '911',
  },
  ttl: 300,
}

export const RECORD_ROWS = {
  ns1,
  ionos,
  gandi,
  digitalocean: digitalOcean,
  'desec-api': desec,
  hetzner,
} as const
