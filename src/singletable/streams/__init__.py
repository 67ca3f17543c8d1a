"""Stream runners, which deliver the changes of items to handlers: a Lambda function and a worker."""

from singletable.streams.lambda_function import LambdaFunction, lambda_handler
from singletable.streams.stream_worker import StreamWorker, WorkerSettings

__all__ = ["LambdaFunction", "StreamWorker", "WorkerSettings", "lambda_handler"]
