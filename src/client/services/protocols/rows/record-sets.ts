import { SecretText } from '../../../../shared/base/secret.ts'
import { memberList, memberText } from '../json.ts'
import type { RecordRow } from '../record-rows.ts'
import {
  bearer,
  encoded,
  isDisabled,
  isNotFound,
  labelIn,
  named,
  recordBy,
  shows,
  ttlIn,
  valuesIn,
  zoneBy,
} from './parts.ts'

// Services that write all records of a name and type together.

/** api.gandi.net/docs/livedns: a write without the TTL resets it. */
const gandi: RecordRow = {
  headers: bearer,
  find: ({ zone, label, type }) => `/v5/livedns/domains/${zone}/records/${encoded(label)}/${type}`,
  recordsIn: valuesIn('rrset_values', 'rrset_ttl'),
  // A domain that is not of this account is 404 too.
  isMissing: (answer, document) => isNotFound(answer) && memberText(document, 'message') !== 'Unknown domain',
  write: ({ zone, label, type }, { address, ttl }) => ({
    method: 'PUT',
    path: `/v5/livedns/domains/${zone}/records/${encoded(label)}/${type}`,
    body: { rrset_values: [address], rrset_ttl: ttl },
    isDone: (document) => memberText(document, 'message') !== undefined,
  }),
  codesIn: () => [],
  refusals: {},
  ttl: 300,
}

/** desec.readthedocs.io: the service says which zone is responsible for a name. */
const desec: RecordRow = {
  headers: ({ password }) => ({ authorization: new SecretText('Token ', password) }),
  zones: {
    path: (hostname) => `/api/v1/domains/?owns_qname=${encoded(hostname)}`,
    zonesIn: (document) =>
      memberList(document)?.map((one) => ({
        ...named(memberText(one, 'name')),
        minTtl: ttlIn(one, 'minimum_ttl'),
      })),
  },
  find: ({ zone, label, type }) => `/api/v1/domains/${zone}/rrsets/${encoded(label)}/${type}/`,
  recordsIn: valuesIn('records', 'ttl'),
  isMissing: isNotFound,
  write: ({ zone, label, type }, { address, ttl }) => ({
    method: 'PATCH',
    path: `/api/v1/domains/${zone}/rrsets/`,
    body: [{ subname: labelIn(label), type, ttl, records: [address] }],
    isDone: shows(address, 0, 'records', 0),
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
    zonesIn: (document) => memberList(document, 'zones')?.map(zoneBy('id', 'name')),
    total: (document) => memberText(document, 'meta', 'pagination', 'total_entries'),
    areNamed: true,
  },
  find: ({ zoneId, label, type }) => `/v1/zones/${zoneId}/rrsets/${encoded(label)}/${type}`,
  recordsIn: (document, { type }) =>
    memberList(document, 'rrset', 'records')?.map((one) => ({
      id: '',
      type,
      value: memberText(one, 'value') ?? '',
      ttl: undefined,
    })),
  isMissing: isNotFound,
  write: ({ zoneId, label, type }, { address, ttl, before }) => ({
    method: 'POST',
    ...(before === undefined
      ? {
          path: `/v1/zones/${zoneId}/rrsets`,
          body: { name: label, type, ttl, records: [{ value: address }] },
        }
      : {
          path: `/v1/zones/${zoneId}/rrsets/${encoded(label)}/${type}/actions/set_records`,
          body: { records: [{ value: address }] },
        }),
    isDone: (document) => !['error', undefined].includes(memberText(document, 'action', 'status')),
  }),
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
    areNamed: true,
  },
  find: ({ zone, hostname, type }) => `/v1/zones/${zone}/${encoded(hostname)}/${type}`,
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
    path: `/v1/zones/${zone}/${encoded(hostname)}/${type}`,
    body:
      before === undefined
        ? { zone, domain: hostname, type, ttl, answers: [{ answer: [address] }] }
        : { answers: [{ answer: [address] }] },
    isDone: shows(address, 'answers', 0, 'answer', 0),
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
    zonesIn: (document) => memberList(document)?.map(zoneBy('id', 'name')),
  },
  find: ({ zoneId, hostname, type }) =>
    `/dns/v1/zones/${zoneId}?suffix=${encoded(hostname)}&recordType=${encoded(`${type},CNAME`)}`,
  recordsIn: (document, { hostname }) =>
    memberList(document, 'records')
      ?.filter((one) => memberText(one, 'name') === hostname)
      .map(recordBy('id', 'type', 'content', 'ttl')),
  isMissing: () => false,
  write: ({ zoneId, hostname, type }, { address, ttl, before }) => ({
    method: 'PATCH',
    path: `/dns/v1/zones/${zoneId}`,
    body: [{ name: hostname, type, content: address, ttl, prio: 0, disabled: isDisabled(before) }],
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

/**
 * developer.godaddy.com/doc/endpoint/domains: a change replaces all records of its name and type. A token is sent to the
 * same paths: the PUT of v3 replaces the whole zone.
 */
const godaddy: RecordRow = {
  headers: ({ apiKey, password }) => ({
    authorization:
      apiKey === undefined
        ? new SecretText('Bearer ', password)
        : new SecretText('sso-key ', apiKey, ':', password),
  }),
  find: ({ zone, label, type }) => `/v1/domains/${zone}/records/${type}/${encoded(label)}`,
  recordsIn: (document) => memberList(document)?.map(recordBy('', 'type', 'data', 'ttl')),
  isMissing: () => false,
  write: ({ zone, label, type }, { address, ttl }) => ({
    method: 'PUT',
    path: `/v1/domains/${zone}/records/${type}/${encoded(label)}`,
    body: [{ data: address, ttl }],
    isSilent: true,
  }),
  codesIn: (document) => [memberText(document, 'code') ?? ''],
  refusals: { ACCESS_DENIED: 'plan', INVALID_BODY: '!donator', DUPLICATE_RECORD: 'conflicting-record' },
  ttl: 600,
}

/** doc.powerdns.com/authoritative/http-api: a change replaces all records of its name and type, and keeps the comments. */
const powerdns: RecordRow = {
  headers: ({ password }) => ({ 'x-api-key': new SecretText(password) }),
  hasAllTypes: true,
  zones: {
    path: () => `${POWERDNS}/zones`,
    zonesIn: (document) =>
      memberList(document)?.map((one) => named((memberText(one, 'name') ?? '').replace(/\.$/, ''))),
    areNamed: true,
  },
  find: ({ zone, hostname }) => `${POWERDNS}/zones/${zone}.?rrset_name=${encoded(hostname)}.`,
  recordsIn: (document, { hostname }) =>
    memberList(document, 'rrsets')
      // Before version 4.6 the whole zone is answered.
      ?.filter((set) => memberText(set, 'name') === `${hostname}.`)
      .flatMap((set) =>
        (memberList(set, 'records') ?? []).map((one) => ({
          id: '',
          type: memberText(set, 'type') ?? '',
          value: memberText(one, 'content') ?? '',
          ttl: ttlIn(set, 'ttl'),
          whole: one,
        })),
      ),
  isMissing: () => false,
  write: ({ zone, hostname, type }, { address, ttl, before }) => ({
    method: 'PATCH',
    path: `${POWERDNS}/zones/${zone}.`,
    body: {
      rrsets: [
        {
          name: `${hostname}.`,
          type,
          ttl,
          changetype: 'REPLACE',
          records: [{ content: address, disabled: isDisabled(before) }],
        },
      ],
    },
    isSilent: true,
  }),
  codesIn: () => [],
  refusals: {},
  ttl: 60,
}
const POWERDNS = '/api/v1/servers/localhost'

/** scaleway.com/en/developers/api/domains-and-dns: a change replaces all records of its name and type. */
const scaleway: RecordRow = {
  headers: ({ password }) => ({ 'x-auth-token': new SecretText(password) }),
  hasAllTypes: true,
  zones: {
    path: () => '/domain/v2beta1/dns-zones?page_size=1000',
    zonesIn: (document) =>
      memberList(document, 'dns_zones')?.map((one) =>
        named(
          [memberText(one, 'subdomain'), memberText(one, 'domain')].filter((part) => part !== '').join('.'),
        ),
      ),
    total: (document) => memberText(document, 'total_count'),
    areNamed: true,
  },
  find: ({ zone, label }) =>
    `/domain/v2beta1/dns-zones/${zone}/records?page_size=100&name=${encoded(labelIn(label))}`,
  recordsIn: (document, { label }) =>
    memberList(document, 'records')
      // An empty name in the query may mean all.
      ?.filter((one) => memberText(one, 'name') === labelIn(label))
      .map(recordBy('id', 'type', 'data', 'ttl')),
  isMissing: () => false,
  write: ({ zone, label, type }, { address, ttl, before }) => ({
    method: 'PATCH',
    path: `/domain/v2beta1/dns-zones/${zone}/records`,
    body: {
      changes: [
        {
          set: {
            id_fields: { name: labelIn(label), type },
            records: [
              { ...(before?.whole as object | undefined), name: labelIn(label), type, data: address, ttl },
            ],
          },
        },
      ],
      disallow_new_zone_creation: true,
    },
    isDone: shows(address, 'records', 0, 'data'),
  }),
  codesIn: (document) => [memberText(document, 'type') ?? ''],
  refusals: {
    denied_authentication: 'badauth',
    permissions_denied: 'badauth',
    invalid_arguments: '!donator',
  },
  ttl: 60,
}

export const RECORD_SETS = {
  gandi,
  'desec-api': desec,
  hetzner,
  ns1,
  ionos,
  godaddy,
  powerdns,
  scaleway,
} as const
