import { givenSource } from '../../../src/client/sources/given.ts'
import { sourceContract } from '../../contract/source.ts'
import { address } from './responders.ts'

sourceContract('given', () => givenSource({ v4: address('192.0.2.1') }))
