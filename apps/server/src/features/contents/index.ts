export { type ContentsService as Contents } from './contents.service.ts'
