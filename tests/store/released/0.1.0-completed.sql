BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE attempts (
	"key" VARCHAR(200) NOT NULL, 
	window BIGINT NOT NULL, 
	count INTEGER NOT NULL, 
	PRIMARY KEY ("key", window)
);
CREATE TABLE campaigns (
	id VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	question TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	join_version INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "campaigns" VALUES('c20a6a2b8a358','Animals','Which is larger?','{"show_ranking": false, "ends_at": null, "completion_url": null, "completion_code": null, "currency": ""}',1,1.79473296612026882168e+09);
CREATE TABLE items (
	campaign VARCHAR(64) NOT NULL, 
	id VARCHAR(200) NOT NULL, 
	position INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	text TEXT NOT NULL, 
	image TEXT, 
	PRIMARY KEY (campaign, id), 
	FOREIGN KEY(campaign) REFERENCES campaigns (id)
);
INSERT INTO "items" VALUES('c20a6a2b8a358','ant',0,'text','The ant',NULL);
INSERT INTO "items" VALUES('c20a6a2b8a358','bee',1,'text','The bee',NULL);
INSERT INTO "items" VALUES('c20a6a2b8a358','cow',2,'text','The cow',NULL);
INSERT INTO "items" VALUES('c20a6a2b8a358','dog',3,'text','The dog',NULL);
INSERT INTO "items" VALUES('c20a6a2b8a358','eel',4,'text','The eel',NULL);
CREATE TABLE journal (
	campaign VARCHAR(64) NOT NULL, 
	seq BIGINT NOT NULL, 
	at DOUBLE NOT NULL, 
	event TEXT NOT NULL, 
	PRIMARY KEY (campaign, seq)
);
INSERT INTO "journal" VALUES('c20a6a2b8a358',0,1.79473296613956332205e+09,'{"event": "Created", "items": ["ant", "bee", "cow", "dog", "eel"], "workers": [], "budget": 3.0, "seed": 0, "policy": "akg", "cost": 1.0, "costs": {}, "forbidden": [], "min_looks": 0, "reliability": [4.0, 1.0], "lease": 900.0, "format": 1}');
INSERT INTO "journal" VALUES('c20a6a2b8a358',1,1.79473296624817490576e+09,'{"event": "WorkerAdded", "worker": "wc4d2424910"}');
INSERT INTO "journal" VALUES('c20a6a2b8a358',2,1.79473296690583443641e+09,'{"event": "Asked", "question": "q1", "worker": "wc4d2424910", "left": "ant", "right": "bee", "cost": 1.0, "expires_at": 1794733866.3279545}');
INSERT INTO "journal" VALUES('c20a6a2b8a358',3,1.79473296692883729939e+09,'{"event": "Answered", "question": "q1", "choice": "left"}');
INSERT INTO "journal" VALUES('c20a6a2b8a358',4,1.79473296695967698098e+09,'{"event": "Asked", "question": "q2", "worker": "wc4d2424910", "left": "dog", "right": "eel", "cost": 1.0, "expires_at": 1794733866.9514186}');
INSERT INTO "journal" VALUES('c20a6a2b8a358',5,1.79473296699288463592e+09,'{"event": "Answered", "question": "q2", "choice": "tie"}');
INSERT INTO "journal" VALUES('c20a6a2b8a358',6,1.79473296701971268655e+09,'{"event": "Asked", "question": "q3", "worker": "wc4d2424910", "left": "cow", "right": "eel", "cost": 1.0, "expires_at": 1794733867.007381}');
CREATE TABLE media (
	id VARCHAR(64) NOT NULL, 
	type VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	created_at DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE settings (
	"key" VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
CREATE TABLE tokens (
	hash VARCHAR(64) NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	campaign VARCHAR(64), 
	worker VARCHAR(64), 
	created_at DOUBLE NOT NULL, 
	expires_at DOUBLE, 
	PRIMARY KEY (hash), 
	FOREIGN KEY(campaign, worker) REFERENCES workers (campaign, id), 
	UNIQUE (id)
);
INSERT INTO "tokens" VALUES('8c8ac3e59ecfa3f19d9284143839709ae8ef8ad184cb08cb62d72b38ad32e4c6','0b12c5f332e116fa','worker','','c20a6a2b8a358','wc4d2424910',1.79473296626007533072e+09,NULL);
CREATE TABLE workers (
	campaign VARCHAR(64) NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	outside_id VARCHAR(200), 
	created_at DOUBLE NOT NULL, completed_at DOUBLE, 
	PRIMARY KEY (campaign, id), 
	CONSTRAINT workers_outside_id UNIQUE (campaign, outside_id), 
	FOREIGN KEY(campaign) REFERENCES campaigns (id)
);
INSERT INTO "workers" VALUES('c20a6a2b8a358','wc4d2424910','Ada',NULL,1.79473296624423670764e+09,NULL);
CREATE INDEX tokens_worker ON tokens (campaign, worker);
COMMIT;
