import { encodeName, readName } from '../../shared/dns/name.ts'
import { RR_TYPES } from '../../shared/dns/types.ts'
import type { ReadUpdateRecord } from '../../shared/dns/update-request.ts'
import { type DnsType, RDATA_TYPES, rdataOf, rdataText, wireTypeOf } from '../model/rdata/types.ts'

/** A pseudo type, or a type of questions alone (RFC 6895 §3.1). */
export const isMetaType = (type: number): boolean =>
  type === RR_TYPES.OPT || (type >= 128 && type <= RR_TYPES.ANY)

/** A type that no record has; 0 is reserved (RFC 6895 §3.1). */
export const isOfNoRecord = (type: number): boolean => type === 0 || isMetaType(type)

interface ReadValue {
  /** Undefined if the service does not have the type. */
  readonly dnsType: DnsType | undefined
  /** As the API reads it; undefined if the RDATA is malformed, or the type is not known. */
  readonly text: string | undefined
  /** As it is stored; undefined if the service takes no such value. */
  readonly value: string | undefined
}

/** The value of a record of a message, by the rules of the API. */
export function valueOf(record: ReadUpdateRecord): ReadValue {
  const dnsType = wireTypeOf(record.type)
  const text = dnsType === undefined ? undefined : rdataText(dnsType, record)
  const parsed = dnsType === undefined || text === undefined ? undefined : RDATA_TYPES[dnsType].parse(text)
  return { dnsType, text, value: parsed?.ok === true ? parsed.value : undefined }
}

/** The RDATA as it would be published: names in lower case and whole. Undefined if it is malformed. */
export function canonicalRdata(record: ReadUpdateRecord): Uint8Array | undefined {
  if (record.type === RR_TYPES.SOA) return soaRdata(record)
  const { dnsType, text, value } = valueOf(record)
  if (dnsType === undefined) return record.rdata
  if (text === undefined) return undefined
  const type = wireTypeOf(record.type)
  return type === undefined || value === undefined ? record.rdata : rdataOf(type, value)
}

/** RFC 1035 §3.3.13: two names and five numbers. */
function soaRdata({ message, rdataAt, end }: ReadUpdateRecord): Uint8Array | undefined {
  const mname = readName(message, rdataAt)
  const rname = mname && readName(message, mname.end)
  if (mname === undefined || rname === undefined || rname.end + 20 !== end) return undefined
  return Buffer.concat([encodeName(mname.name), encodeName(rname.name), message.subarray(rname.end, end)])
}

/** The serial of a record of type SOA; undefined if it is malformed. */
export const serialIn = (record: ReadUpdateRecord): number | undefined => {
  const rdata = soaRdata(record)
  return rdata && Buffer.from(rdata).readUInt32BE(rdata.length - 20)
}
