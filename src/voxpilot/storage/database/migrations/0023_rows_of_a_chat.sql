-- To delete a chat without reading the rows of all others.
CREATE INDEX calls_of_chat ON calls(chat_id);
CREATE INDEX model_steps_of_chat ON model_steps(chat_id);
CREATE INDEX questions_of_chat ON questions(chat_id);
CREATE INDEX tasks_of_chat ON tasks(chat_id);
CREATE INDEX terminals_of_chat ON terminals(chat_id);
CREATE INDEX terminals_of_process ON terminals(process_id);
CREATE INDEX requests_of_process ON requests(process_id);
CREATE INDEX keys_of_chat ON idempotency_keys(chat_id);
