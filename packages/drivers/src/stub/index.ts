export { createStubDriver, type StubDriver, type StubScript } from './stub.driver.ts'
