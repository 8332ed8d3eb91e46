import { givenSource } from '../../../../src/client/detect/address-detection.ts'
import { sourceContract } from '../../../contract/source.ts'
import { address } from '../../../fakes/address.ts'

sourceContract('given', () => givenSource({ v4: address('192.0.2.1') }))
