import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

// Documents: www.scaleway.com/en/developers/api/domains-and-dns; shapes and error forms: scaleway-sdk-go
// (domain_sdk.go, scw/errors.go). Keys of `extra`: priority, comment, geo_ip_config, http_service_config,
// weighted_config, view_config. A `set` replaces all records that `id` or `id_fields` names; what its
// records do not repeat is the default.

const TYPES = strict.words(
  'A AAAA CNAME TXT SRV TLSA MX NS PTR CAA ALIAS LOC SSHFP HINFO RP URI DS NAPTR DNAME SVCB',
  'HTTPS',
)
const CONFIGS = ['geo_ip_config', 'http_service_config', 'weighted_config', 'view_config']
/** Not on the page: local. */
const LEAST_TTL = 60

const make = (world: FakeWorld) => {
  const idOf = strict.idsOf((before) => `2e1f7f0c-5f6b-4a5e-9d41-0c8f5c6b${(0xa100 + before).toString(16)}`)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const labelOf = (record: FakeRecord) => record.name.slice(0, -(zoneOf(record.name) ?? '').length - 1)
  const shown = (record: FakeRecord) => ({
    data: record.type === 'CNAME' ? record.value.replace(/\.?$/, '.') : record.value,
    name: labelOf(record),
    priority: record.extra['priority'] ?? 0,
    ttl: record.ttl,
    type: record.type,
    comment: record.extra['comment'] ?? null,
    id: idOf(record),
    ...Object.fromEntries(
      CONFIGS.filter((key) => key in record.extra).map((key) => [key, record.extra[key]]),
    ),
  })
  const zoneShown = (zone: string) => {
    const parent = world.zones
      .filter((other) => zone.endsWith(`.${other}`))
      .sort((a, b) => b.length - a.length)[0]
    return {
      domain: parent ?? zone,
      subdomain: parent === undefined ? '' : zone.slice(0, -parent.length - 1),
      ns: ['ns0.dom.scw.cloud', 'ns1.dom.scw.cloud'],
      ns_default: ['ns0.dom.scw.cloud', 'ns1.dom.scw.cloud'],
      ns_master: [],
      status: 'active',
      message: null,
      updated_at: '2026-11-27T10:00:00Z',
      project_id: '105bdce1-64c0-48ab-899d-868455867ecf',
      linked_products: [],
    }
  }

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    // No refusal has a dump: the members are those that the service's own library reads.
    const invalid = (name: string, reason: 'unknown' | 'required' | 'format' | 'constraint', help: string) =>
      strict.answerJson(
        400,
        {
          details: [{ argument_name: name, help_message: help, reason }],
          message: 'invalid argument(s)',
          type: 'invalid_arguments',
        },
        `${name}: ${help}`,
      )
    const notFound = (resource: string, id: string, why: string) =>
      strict.answerJson(
        404,
        { message: 'resource is not found', resource, resource_id: id, type: 'not_found' },
        why,
      )

    if (headers['x-auth-token'] !== world.password)
      return strict.answerJson(
        401,
        {
          message: 'authentication is denied',
          method: 'api_key',
          reason: 'not_found',
          type: 'denied_authentication',
        },
        'x-auth-token',
      )
    if (!strict.isEncoded(target)) return invalid('path', 'format', 'target is not percent-encoded')
    if (method === 'GET' && request.body !== '') return invalid('body', 'format', 'a body on a GET')
    const { path, query } = strict.splitTarget(target)
    const parts = /^\/domain\/v2beta1\/dns-zones(?:\/([^/]+)\/records)?$/.exec(path)
    if (parts === null) return notFound('path', path, 'no such path')
    const zoneName = parts[1] === undefined ? undefined : decodeURIComponent(parts[1])
    if (!(zoneName === undefined ? ['GET'] : ['GET', 'PATCH']).includes(method))
      return strict.answerJson(405, { message: 'method not allowed', type: 'method_not_allowed' }, 'method')
    const common = ['page', 'page_size', 'order_by', 'project_id']
    const allowed =
      method === 'PATCH'
        ? []
        : zoneName === undefined
          ? [
              ...common,
              'organization_id',
              'domain',
              'dns_zone',
              'dns_zones',
              'created_after',
              'created_before',
              'updated_after',
              'updated_before',
            ]
          : [...common, 'name', 'type', 'id']
    const stray = strict.strayQuery(query, allowed)
    if (stray !== undefined) return invalid(stray, 'unknown', `query parameter ${stray}`)

    const paged = (key: string, items: readonly unknown[]): FakeResponse => {
      const page = Number(query.get('page') ?? 1)
      const size = Number(query.get('page_size') ?? 20)
      if (!Number.isInteger(page) || page < 1) return invalid('page', 'constraint', 'page')
      if (!Number.isInteger(size) || size < 1 || size > 1000)
        return invalid('page_size', 'constraint', 'page_size')
      return strict.answerJson(200, {
        [key]: items.slice((page - 1) * size, page * size),
        total_count: items.length,
      })
    }
    if (zoneName === undefined) {
      const [domain, only] = [query.get('domain'), query.get('dns_zone')]
      return paged(
        'dns_zones',
        world.zones
          .filter((zone) => only === null || zone === only)
          .map(zoneShown)
          .filter((zone) => domain === null || domain === '' || zone.domain === domain),
      )
    }
    const zone = world.zones.find((item) => item === zoneName.toLowerCase())
    // A PATCH may make a new zone of an own domain, unless `disallow_new_zone_creation`: refused here.
    if (zone === undefined) return notFound('dns_zone', zoneName, 'no such zone')
    if (method === 'GET') {
      const [name, type, id] = [query.get('name'), query.get('type'), query.get('id')]
      if (type !== null && !TYPES.includes(type)) return invalid('type', 'constraint', `type ${type}`)
      return paged(
        'records',
        world.records
          .filter((record) => zoneOf(record.name) === zone)
          .filter((record) => name === null || labelOf(record) === name)
          .filter((record) => type === null || record.type === type)
          .filter((record) => id === null || idOf(record) === id)
          .map(shown),
      )
    }

    if (world.isReadOnly)
      return strict.answerJson(
        403,
        {
          details: [{ action: 'write', resource: 'dns_zone' }],
          message: 'insufficient permissions',
          type: 'permissions_denied',
        },
        'read-only token',
      )
    if (!strict.isSentAs('application/json', request))
      return invalid('body', 'format', 'content-type is not JSON')
    const body = strict.jsonOf(request.body)
    if (!strict.isMembers(body)) return invalid('body', 'format', 'body is no JSON object')
    for (const key of Object.keys(body))
      if (!['changes', 'return_all_records', 'disallow_new_zone_creation', 'serial'].includes(key))
        return invalid(key, 'unknown', 'unknown member')
    const { changes } = body
    if (!Array.isArray(changes) || changes.length === 0) return invalid('changes', 'required', 'changes')

    /** The records as they will be: the whole request is refused if one change is. */
    let after: FakeRecord[] = [...world.records]
    const returned: FakeRecord[] = []
    for (const change of changes as readonly unknown[]) {
      if (!strict.isMembers(change) || Object.keys(change).length !== 1)
        return invalid('changes', 'format', 'a change has one of add, set, delete, clear')
      const [[kind, detail] = ['', undefined]] = Object.entries(change)
      if (!['add', 'set', 'delete'].includes(kind) || !strict.isMembers(detail))
        return invalid('changes', 'unknown', `change ${kind}`)
      for (const key of Object.keys(detail))
        if (
          !(
            kind === 'add'
              ? ['records']
              : kind === 'set'
                ? ['id', 'id_fields', 'records']
                : ['id', 'id_fields']
          ).includes(key)
        )
          return invalid(`changes.${kind}.${key}`, 'unknown', 'unknown member')
      const { id, id_fields: fields, records = [] } = detail
      if (kind !== 'add' && (id === undefined) === (fields === undefined))
        return invalid(`changes.${kind}`, 'constraint', 'precisely one of id and id_fields')
      if (fields !== undefined) {
        if (
          !strict.isMembers(fields) ||
          typeof fields['name'] !== 'string' ||
          !TYPES.includes(String(fields['type']))
        )
          return invalid('id_fields', 'required', 'id_fields has name and type')
        for (const key of Object.keys(fields))
          if (!['name', 'type', 'data', 'ttl'].includes(key))
            return invalid(`id_fields.${key}`, 'unknown', 'unknown')
      }
      const isNamed = (record: FakeRecord) =>
        kind !== 'add' &&
        zoneOf(record.name) === zone &&
        (strict.isMembers(fields)
          ? labelOf(record) === fields['name'] &&
            record.type === fields['type'] &&
            (fields['data'] === undefined || record.value === fields['data'])
          : idOf(record) === id)
      const named = after.filter(isNamed)
      if (id !== undefined && named.length === 0) return notFound('record', textOf(id), 'no such record')
      if (!Array.isArray(records) || (kind === 'add' && records.length === 0))
        return invalid('records', 'required', 'records')
      const fresh: FakeRecord[] = []
      for (const item of records as readonly unknown[]) {
        if (!strict.isMembers(item)) return invalid('records', 'format', 'a record is no JSON object')
        for (const key of Object.keys(item))
          if (!['data', 'name', 'priority', 'ttl', 'type', 'comment', 'id', ...CONFIGS].includes(key))
            return invalid(`records.${key}`, 'unknown', 'unknown member')
        const from = strict.isMembers(fields) ? fields : {}
        const { name: label = from['name'] ?? '', type = from['type'] ?? named[0]?.type } = item
        const { data, ttl, priority = 0, comment } = item
        if (typeof data !== 'string') return invalid('records.data', 'required', 'data')
        if (!strict.isInteger(ttl)) return invalid('records.ttl', 'required', 'ttl')
        if (ttl < LEAST_TTL) return invalid('records.ttl', 'constraint', `ttl is at least ${LEAST_TTL}`)
        if (typeof priority !== 'number') return invalid('records.priority', 'format', 'priority')
        if (comment != null && typeof comment !== 'string')
          return invalid('records.comment', 'format', 'comment')
        if (typeof type !== 'string' || !TYPES.includes(type))
          return invalid('records.type', 'required', 'type')
        if (!strict.isLabel(label)) return invalid('records.name', 'format', `name ${String(label)}`)
        if (!strict.fitsType(type, data)) return invalid('records.data', 'format', `data ${data}`)
        const name = label === '' ? zone : `${label}.${zone}`
        if (zoneOf(name) !== zone)
          return invalid('records.name', 'constraint', `name in the zone ${zoneOf(name)}`)
        const extra = Object.fromEntries(CONFIGS.filter((key) => key in item).map((key) => [key, item[key]]))
        fresh.push({ name, type, value: data, ttl, extra: { priority, comment: comment ?? null, ...extra } })
      }
      after = [...after.filter((record) => !isNamed(record)), ...fresh]
      returned.push(...fresh)
    }
    for (const [index, record] of after.entries())
      for (const other of after.slice(index + 1))
        if (other.name === record.name && (returned.includes(record) || returned.includes(other))) {
          if ((other.type === 'CNAME') !== (record.type === 'CNAME') || other.type === 'CNAME')
            return invalid('records', 'constraint', 'CNAME beside another record')
          if (other.type === record.type && other.value === record.value)
            return invalid('records', 'constraint', 'the record exists')
        }
    strict.setRecords(world, after)
    const isAll = body['return_all_records'] === true
    return strict.answerJson(200, {
      records: (isAll ? after.filter((record) => zoneOf(record.name) === zone) : returned).map(shown),
    })
  }
}

export const scaleway: FakeService = { id: 'scaleway', origin: 'https://api.scaleway.com', make }
